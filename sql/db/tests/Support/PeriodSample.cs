using System.Text;
using Optiks.Protocol;

namespace Optiks.Db.Tests.Support;

/// <summary>
/// A log in its third period, made once. In the first one a key changed and a user left after both were staged; in the second a key was set for the first time.
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

    /// <summary>Gives a folder of one's own.</summary>
    internal LogFolder Copy() => _folder.Copy();

    /// <summary>Makes a user with a name and a device.</summary>
    internal static Task PublishUserAsync(PeriodLog log) => log.PublishAsync(
        LogFolder.Item("name", "user") with { Structure = StructureId.Usernames },
        LogFolder.Item("user", "") with { Structure = StructureId.Devices, Value = DeviceList.Encode([Encoding.UTF8.GetBytes("device")]) },
        LogFolder.Item("device", "the device's key"));

    /// <summary>Lets that user go.</summary>
    internal static Task LeaveAsync(PeriodLog log) => log.PublishAsync(LogFolder.Item("user", "\u0001") with { Structure = StructureId.Decommissioned });
}
