using Optiks.Storage.Conformance;

namespace Optiks.Storage.SqlServer.Tests;

public sealed class SqlServerAcceptTests() : AcceptConformance(new SqlServerFixture());

public sealed class SqlServerPipelineTests() : PipelineConformance(new SqlServerFixture());

public sealed class SqlServerFollowTests() : FollowConformance(new SqlServerFixture());

public sealed class SqlServerErasureTests() : ErasureConformance(new SqlServerFixture());

public sealed class SqlServerPeriodTests() : PeriodConformance(new SqlServerFixture());

public sealed class SqlServerPeriodSwitchTests() : PeriodSwitchConformance(new SqlServerFixture());

public sealed class SqlServerMigratorTests() : MigratorConformance(new SqlServerFixture());

public sealed class SqlServerMaintenanceTests() : MaintenanceConformance(new SqlServerFixture());

public sealed class SqlServerUserTests() : UserConformance(new SqlServerFixture());
