using Optiks.Stress.Load;

namespace Optiks.Stress.Traffic;

/// <summary>Draws the requests of a run at random from a mix. Only one thread at a time may use a planner.</summary>
internal sealed class Planner
{
    private readonly RunOptions _options;
    private readonly Random _random;
    private readonly KeySampler _lookups;
    private readonly KeySampler _updates;
    private readonly int _manyKeys;
    private readonly int _replicas;
    private readonly int _updateServices;

    public Planner(RunOptions options, KeySpace keys, int replicas, int updateServices, Random random)
    {
        _options = options;
        _random = random;
        _lookups = new KeySampler(keys.Count, options.ZipfExponent);
        _updates = new KeySampler(keys.Count, options.UpdateZipfExponent);
        _manyKeys = keys.ManyCount;
        _replicas = replicas;
        _updateServices = updateServices;
    }

    public Planned Next()
    {
        MixPart part = _options.Mix.Next(_random);
        int[] keys = part.Kind switch
        {
            OperationKind.Absent or OperationKind.Audit => [],
            OperationKind.Versions => [_random.Next(_manyKeys)],
            OperationKind.Update or OperationKind.Batch => Distinct(part.Size),
            _ => [_lookups.Next(_random)],
        };
        int server = _random.Next(part.IsUpdate ? _updateServices : _replicas);
        return new Planned(part, server, keys, _random.NextInt64(), _random.NextDouble() < _options.VerifyShare);
    }

    // Draws distinct keys. A batch must not name a key twice, because only a few updates of a key may be pending.
    private int[] Distinct(int size)
    {
        if (size == 1)
        {
            return [_updates.Next(_random)];
        }
        var keys = new HashSet<int>(size);
        while (keys.Count < size)
        {
            keys.Add(_updates.Next(_random));
        }
        return [.. keys];
    }
}
