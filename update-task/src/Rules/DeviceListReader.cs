using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>
/// Returns users' latest device lists one after another. It reads many lists at once, but never all of them, because the lists of all users
/// in an epoch's requests may not fit in memory. Not thread-safe.
/// </summary>
internal sealed class DeviceListReader
{
    // The number of lists that are read at once. They need at most 64 MiB, because no configuration allows a value longer than 1 MiB.
    private const int ListsPerRead = 64;

    private readonly KeyDirectory _directory;
    private readonly IReadOnlyList<PendingUserRequest> _requests;
    private readonly Queue<ReadOnlyMemory<byte>?> _lists = new();
    private int _read;
    private int _next;

    /// <summary>Makes a reader for the device lists of these requests' users.</summary>
    public DeviceListReader(KeyDirectory directory, IReadOnlyList<PendingUserRequest> requests)
    {
        _directory = directory;
        _requests = requests;
    }

    /// <summary>
    /// Returns the latest device list of the next request's user. Throws <see cref="StorageCorruptException"/> if the list was erased or is
    /// malformed. The latest list may be erased only after its user has left, and such users' lists are not read here.
    /// </summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> Next()
    {
        if (_lists.Count == 0)
        {
            Read();
        }
        Guid request = _requests[_next++].Pending.RequestId;
        ReadOnlyMemory<byte> octets = _lists.Dequeue()
            ?? throw new StorageCorruptException(
                $"The pending request {request} cannot be decided: the latest device list of its user was erased, though the user has not left. Restore the database.");
        try
        {
            return DeviceList.Decode(octets);
        }
        catch (EncodingException e)
        {
            throw new StorageCorruptException(
                $"The pending request {request} cannot be decided: the latest device list of its user is malformed. Restore the database.",
                e);
        }
    }

    private void Read()
    {
        using var users = new ByteStrings();
        while (_read < _requests.Count && users.Count < ListsPerRead)
        {
            users.Add(_requests[_read++].UserId.Span);
        }
        foreach (ReadOnlyMemory<byte>? list in _directory.NewestValues(StructureId.Devices, users))
        {
            _lists.Enqueue(list);
        }
    }
}
