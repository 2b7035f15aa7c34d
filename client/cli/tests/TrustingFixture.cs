namespace Optiks.Cli.Tests;

/// <summary>Starts a test log, and puts the log's trust anchor into the data folder that the command line uses.</summary>
internal static class TrustingFixture
{
    public static async Task<Fixture> StartAsync()
    {
        Fixture fixture = await Fixture.StartAsync();
        Directory.CreateDirectory(fixture.Folder.In("data"));
        FixtureLog.Anchor.Save(fixture.Folder.In("data/trust.json"));
        return fixture;
    }
}
