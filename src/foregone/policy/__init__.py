"""What a policy means, and whether a release keeps it: one judge for every command and page."""
