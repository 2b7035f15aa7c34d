using System.Text;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Tests.Support;

/// <summary>A log with users, made once: leaves of all structures, and requests that leave the device list as it is.</summary>
public sealed class UserSample(SampleLog sample) : IAsyncLifetime
{
    private readonly LogFolder _folder = sample.Copy();

    public async ValueTask InitializeAsync() => _ = await PublishAsync(_folder);

    public ValueTask DisposeAsync()
    {
        _folder.Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>Gives a folder of one's own.</summary>
    internal LogFolder Copy() => _folder.Copy();

    /// <summary>Makes a user with a name and a device, whose key is set; of nobody it is refused.</summary>
    internal static async Task<(AcceptRequest Set, AcceptRequest Refused)> PublishAsync(LogFolder log)
    {
        await log.AcceptAsync(List(new UserChange(true, [Octets("device")], [])), new AcceptItem(StructureId.Usernames, Octets("al"), Octets("alice"), null), LogFolder.Item("device", "1"));
        AcceptRequest set = await log.AcceptAsync(List(new UserChange(false, [], [])), LogFolder.Item("device", "2"));
        AcceptRequest refused = await log.AcceptAsync(List(new UserChange(false, [], []), "bob"), LogFolder.Item("another", "3"));
        await log.PublishAsync();
        return (set, refused);
    }

    /// <summary>List is item 0 of a request about a user.</summary>
    internal static AcceptItem List(UserChange change, string user = "alice") => new(StructureId.Devices, Octets(user), change.Encode(), null);

    private static byte[] Octets(string text) => Encoding.UTF8.GetBytes(text);
}
