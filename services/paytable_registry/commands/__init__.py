"""What people do in the registry: draft and file versions, approve them, return them, withdraw them."""
