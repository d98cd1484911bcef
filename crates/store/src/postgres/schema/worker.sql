-- What a worker needs: to read and write rows. Run by the role that made the store, for a role `nightfold_worker`.
GRANT USAGE ON SCHEMA :schema TO nightfold_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA :schema TO nightfold_worker;
GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA :schema TO nightfold_worker;
