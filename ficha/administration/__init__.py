"""What administrators keep: services, navigation buttons, projects, subscriptions, roles, and a log of every change."""
