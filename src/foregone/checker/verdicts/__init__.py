"""What the checker says about whole files: claims, completeness, distances, protections, policies and published folders."""
