"""What people do in the registry: file versions, approve them, reject them."""
