using System.Security.Cryptography;
using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Adds dummies to an epoch. A dummy is a leaf with a random key that nobody knows. Dummies are made, stored, replayed and audited like all
/// other leaves. Only a reader of the database can recognize them, by the origin that it stores for each leaf. Any thread may use this
/// class.
/// </summary>
internal sealed class Padding
{
    // The length of a dummy's random key in bytes. Random keys of this length practically never equal each other or a real key.
    private const int KeyLength = 16;
    private const int ValueLength = 32;

    private readonly int[] _buckets;

    public Padding(IOptions<PaddingOptions> options)
    {
        PaddingOptions given = options.Value;
        _buckets = [0, given.Usernames, given.Devices, given.Keys, given.Decommissioned];
    }

    /// <summary>
    /// Adds dummies until each padded structure has a number of leaves that is a multiple of its configured bucket. A structure without
    /// leaves gets one whole bucket of dummies. Throws <see cref="StorageMisconfiguredException"/> if the log's limits on keys or values
    /// are too low for dummies.
    /// </summary>
    public void AddTo(LeafInputs leaves, Configuration configuration, Func<StructureId, bool> isPadded)
    {
        Span<byte> key = stackalloc byte[KeyLength];
        for (StructureId structure = StructureId.Usernames; structure <= StructureId.Decommissioned; structure++)
        {
            int bucket = _buckets[(int)structure];
            if (bucket > 0 && isPadded(structure))
            {
                ThrowUnlessLongEnough(configuration);
                int wanted = Math.Max(1, (leaves.CountLeaves(structure) + bucket - 1) / bucket) * bucket;
                while (leaves.CountLeaves(structure) < wanted)
                {
                    RandomNumberGenerator.Fill(key);
                    leaves.Add(structure, key, Value(structure), LeafOrigin.Padding);
                }
            }
        }
    }

    private static byte[] Value(StructureId structure) => structure switch
    {
        StructureId.Usernames => RandomNumberGenerator.GetBytes(KeyLength),
        StructureId.Devices => DeviceList.Encode([]),
        StructureId.Keys => RandomNumberGenerator.GetBytes(ValueLength),
        _ => [1],
    };

    private static void ThrowUnlessLongEnough(Configuration configuration)
    {
        if (configuration.MaxKeyLength < KeyLength || configuration.MaxValueLength < ValueLength)
        {
            throw new StorageMisconfiguredException(
                $"This log's keys have at most {configuration.MaxKeyLength} bytes and its values {configuration.MaxValueLength}, which is too short for dummies: remove {PaddingOptions.Section}.");
        }
    }
}
