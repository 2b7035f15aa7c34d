using Optiks.Storage.Conformance;

namespace Optiks.Storage.Sqlite.Tests;

public sealed class SqliteAcceptTests() : AcceptConformance(new SqliteFixture());
