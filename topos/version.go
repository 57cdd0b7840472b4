package topos

// Version is the product's version, which files name as their writer's.
const Version = "0.1.0"
