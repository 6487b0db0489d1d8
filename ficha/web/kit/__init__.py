"""What pages share: layout, forms, language, assets, error pages."""
