"""What the pages share: layout, forms, language, assets, error pages."""
