using System.Text;
using Optiks.Protocol;

namespace Optiks.Db.Tests.Support;

/// <summary>
/// Provides a log in its third period, which is made once for all tests. In the first period, a key changed and a user left after their
/// copies had been staged. In the second period, a key got its first value.
/// </summary>
public sealed class PeriodSample(SampleLog sample) : IAsyncLifetime
{
    private readonly LogFolder _folder = sample.Copy();

    public async ValueTask InitializeAsync()
    {
        await using PeriodLog log = await PeriodLog.OpenAsync(_folder);
        await PublishUserAsync(log);
        await log.StageAsync();
        await log.PublishAsync(LogFolder.Item("a", "set after it was staged"));
        await LeaveAsync(log);
        await log.StageAsync("user", "device");
        await log.SwitchAsync();
        await log.PublishAsync(LogFolder.Item("a", "set in period 1"), LogFolder.Item("f", "new in period 1"));
        await log.StageAsync();
        await log.SwitchAsync();
        await log.PublishAsync(LogFolder.Item("a", "set in period 2"));
    }

    public ValueTask DisposeAsync()
    {
        _folder.Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>Copies the log into a folder for one test.</summary>
    internal LogFolder Copy() => _folder.Copy();

    /// <summary>Publishes an epoch that creates a user with a username and a device.</summary>
    internal static Task PublishUserAsync(PeriodLog log) => log.PublishAsync(
        LogFolder.Item("name", "user") with { Structure = StructureId.Usernames },
        LogFolder.Item("user", "") with { Structure = StructureId.Devices, Value = DeviceList.Encode([Encoding.UTF8.GetBytes("device")]) },
        LogFolder.Item("device", "the device's key"));

    /// <summary>Publishes an epoch that decommissions the user that <see cref="PublishUserAsync"/> created.</summary>
    internal static Task LeaveAsync(PeriodLog log) =>
        log.PublishAsync(LogFolder.Item("user", "\u0001") with { Structure = StructureId.Decommissioned });
}
