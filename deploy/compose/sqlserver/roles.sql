-- Creates the logins and the database of docs/operations/sqlserver.md. It also creates the roles, so that the services'
-- users are members before any service starts; optiks-db migrate grants the roles their rights.
IF DB_ID(N'optiks') IS NULL CREATE DATABASE optiks;
GO
ALTER DATABASE optiks SET READ_COMMITTED_SNAPSHOT ON;
ALTER DATABASE optiks SET ALLOW_SNAPSHOT_ISOLATION ON;
ALTER DATABASE optiks SET DELAYED_DURABILITY = DISABLED;
GO
IF SUSER_ID(N'optiks_owner') IS NULL CREATE LOGIN optiks_owner WITH PASSWORD = '$(owner_password)';
IF SUSER_ID(N'optiks_update_service') IS NULL CREATE LOGIN optiks_update_service WITH PASSWORD = '$(update_service_password)';
IF SUSER_ID(N'optiks_update_task') IS NULL CREATE LOGIN optiks_update_task WITH PASSWORD = '$(update_task_password)';
IF SUSER_ID(N'optiks_query_service') IS NULL CREATE LOGIN optiks_query_service WITH PASSWORD = '$(query_service_password)';
GRANT VIEW SERVER STATE TO optiks_update_task;
GRANT ALTER ANY CONNECTION TO optiks_update_task;
GO
USE optiks;
IF DATABASE_PRINCIPAL_ID(N'optiks_owner') IS NULL CREATE USER optiks_owner FOR LOGIN optiks_owner;
IF DATABASE_PRINCIPAL_ID(N'optiks_update_service') IS NULL CREATE USER optiks_update_service FOR LOGIN optiks_update_service;
IF DATABASE_PRINCIPAL_ID(N'optiks_update_task') IS NULL CREATE USER optiks_update_task FOR LOGIN optiks_update_task;
IF DATABASE_PRINCIPAL_ID(N'optiks_query_service') IS NULL CREATE USER optiks_query_service FOR LOGIN optiks_query_service;
IF DATABASE_PRINCIPAL_ID(N'optiks_update') IS NULL CREATE ROLE optiks_update;
IF DATABASE_PRINCIPAL_ID(N'optiks_task') IS NULL CREATE ROLE optiks_task;
IF DATABASE_PRINCIPAL_ID(N'optiks_query') IS NULL CREATE ROLE optiks_query;
ALTER ROLE db_owner ADD MEMBER optiks_owner;
ALTER ROLE optiks_update ADD MEMBER optiks_update_service;
ALTER ROLE optiks_task ADD MEMBER optiks_update_task;
ALTER ROLE optiks_query ADD MEMBER optiks_query_service;
GO
