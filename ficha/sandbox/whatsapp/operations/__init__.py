"""What each path of the Graph API does to the platform."""
