using Optiks.Storage.Conformance;

namespace Optiks.Storage.Sqlite.Tests;

public sealed class SqliteAcceptTests() : AcceptConformance(new SqliteFixture());

public sealed class SqlitePipelineTests() : PipelineConformance(new SqliteFixture());

public sealed class SqliteFollowTests() : FollowConformance(new SqliteFixture());

public sealed class SqliteErasureTests() : ErasureConformance(new SqliteFixture());

public sealed class SqlitePeriodTests() : PeriodConformance(new SqliteFixture());

public sealed class SqlitePeriodSwitchTests() : PeriodSwitchConformance(new SqliteFixture());

public sealed class SqliteMigratorTests() : MigratorConformance(new SqliteFixture());

public sealed class SqliteMaintenanceTests() : MaintenanceConformance(new SqliteFixture());

public sealed class SqliteUserTests() : UserConformance(new SqliteFixture());
