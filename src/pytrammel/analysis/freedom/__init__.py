"""What rows leave free: rank, mobility, partition, loads that redundant equations could share."""
