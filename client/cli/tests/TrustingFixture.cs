namespace Optiks.Cli.Tests;

/// <summary>Starts a log whose trust anchor is already in the data folder of the command line.</summary>
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
