using Optiks.Storage.Conformance;

namespace Optiks.Storage.PostgreSql.Tests;

public sealed class PostgreSqlAcceptTests() : AcceptConformance(new PostgreSqlFixture());

public sealed class PostgreSqlPipelineTests() : PipelineConformance(new PostgreSqlFixture());

public sealed class PostgreSqlFollowTests() : FollowConformance(new PostgreSqlFixture());

public sealed class PostgreSqlErasureTests() : ErasureConformance(new PostgreSqlFixture());

public sealed class PostgreSqlPeriodTests() : PeriodConformance(new PostgreSqlFixture());

public sealed class PostgreSqlPeriodSwitchTests() : PeriodSwitchConformance(new PostgreSqlFixture());

public sealed class PostgreSqlMigratorTests() : MigratorConformance(new PostgreSqlFixture());

public sealed class PostgreSqlMaintenanceTests() : MaintenanceConformance(new PostgreSqlFixture());

public sealed class PostgreSqlUserTests() : UserConformance(new PostgreSqlFixture());
