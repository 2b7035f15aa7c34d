using System.Text;

namespace Optiks.QueryService.Tests;

/// <summary>Provides a log and a replica of it for tests that only read.</summary>
public sealed class PublishedLog : IAsyncLifetime
{
    /// <summary>The number of versions of the key "big", whose values fill more than one page.</summary>
    public const int BigVersions = 70;

    /// <summary>The number of bytes of each value of the key "big".</summary>
    public const int BigLength = 65_536;

    internal TestLog Log { get; private set; } = null!;

    internal Replica Replica { get; private set; } = null!;

    public async ValueTask InitializeAsync()
    {
        Log = await TestLog.CreateAsync();
        byte[] big = new byte[BigLength];
        for (int i = 1; i <= BigVersions; i++)
        {
            big[0] = (byte)i;
            List<(string, byte[])> updates = [("big", [.. big])];
            // Epoch 3 inserts one key of every kind, and the key "alice" changes in every twelfth epoch.
            if (i == 3)
            {
                updates.AddRange(Enumerable.Range(0, 20).Select(n => ($"user{n}", Encoding.UTF8.GetBytes($"value {n}"))));
            }
            if (i % 12 == 0)
            {
                updates.Add(("alice", Encoding.UTF8.GetBytes($"alice {i}")));
            }
            await Log.PublishAsync(updates);
        }
        await Log.PublishAsync([]);
        Replica = await Replica.StartReadyAsync(Log);
    }

    public async ValueTask DisposeAsync()
    {
        await Replica.DisposeAsync();
        await Log.DisposeAsync();
    }
}
