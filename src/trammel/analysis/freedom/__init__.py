"""What rows leave free: rank, mobility, partition, loads that redundant rows could share."""
