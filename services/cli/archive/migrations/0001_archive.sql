-- The catalog of Iceberg tables, in the form that engines with a JDBC or SQL catalog share.
CREATE TABLE iceberg_tables (
    catalog_name VARCHAR(255), table_namespace VARCHAR(255), table_name VARCHAR(255),
    metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5),
    PRIMARY KEY (catalog_name, table_namespace, table_name)
);
CREATE TABLE iceberg_namespace_properties (
    catalog_name VARCHAR(255), namespace VARCHAR(255), property_key VARCHAR(255), property_value VARCHAR(1000) NOT NULL,
    PRIMARY KEY (catalog_name, namespace, property_key)
);

-- How far each shard was read, and in which part of it the entries of a property's gaming day lie.
CREATE TABLE scanned (service TEXT, shard INTEGER, seq BIGINT NOT NULL, PRIMARY KEY (service, shard));
CREATE TABLE days (
    service TEXT, shard INTEGER, property TEXT, gaming_day DATE,
    entries BIGINT NOT NULL, with_gaming_day BIGINT NOT NULL, first_seq BIGINT NOT NULL, last_seq BIGINT NOT NULL,
    PRIMARY KEY (service, shard, property, gaming_day)
);
CREATE TABLE sealed (property TEXT, gaming_day DATE, PRIMARY KEY (property, gaming_day));

-- The manifests in their order, and the day that is being archived.
CREATE TABLE manifests (
    number BIGINT PRIMARY KEY, digest BYTEA NOT NULL, property TEXT NOT NULL, gaming_day DATE NOT NULL,
    entries BIGINT NOT NULL, archived_at TIMESTAMPTZ NOT NULL
);
CREATE TABLE unfinished (property TEXT, gaming_day DATE, started_at TIMESTAMPTZ NOT NULL, PRIMARY KEY (property, gaming_day));
