using System.Text;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Tests.Support;

/// <summary>
/// Provides a log with users, which is made once for all tests. It has leaves of all structures, and requests that do not change the device
/// list.
/// </summary>
public sealed class UserSample(SampleLog sample) : IAsyncLifetime
{
    private readonly LogFolder _folder = sample.Copy();

    public async ValueTask InitializeAsync() => _ = await PublishAsync(_folder);

    public ValueTask DisposeAsync()
    {
        _folder.Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>Copies the log into a folder for one test.</summary>
    internal LogFolder Copy() => _folder.Copy();

    /// <summary>
    /// Publishes a user with a username and a device whose key is set. Also sends a request for a user that does not exist, which the
    /// update-task refuses.
    /// </summary>
    internal static async Task<(AcceptRequest Set, AcceptRequest Refused)> PublishAsync(LogFolder log)
    {
        await log.AcceptAsync(List(new UserChange(true, [Octets("device")], [])),
            new AcceptItem(StructureId.Usernames, Octets("al"), Octets("alice"), null), LogFolder.Item("device", "1"));
        AcceptRequest set = await log.AcceptAsync(List(new UserChange(false, [], [])), LogFolder.Item("device", "2"));
        AcceptRequest refused = await log.AcceptAsync(List(new UserChange(false, [], []), "bob"), LogFolder.Item("another", "3"));
        await log.PublishAsync();
        return (set, refused);
    }

    /// <summary>Creates item 0 of a request about a user.</summary>
    internal static AcceptItem List(UserChange change, string user = "alice") =>
        new(StructureId.Devices, Octets(user), change.Encode(), null);

    private static byte[] Octets(string text) => Encoding.UTF8.GetBytes(text);
}
