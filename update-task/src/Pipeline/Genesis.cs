using Microsoft.Extensions.Options;
using Optiks.ApiKeys;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;
using Optiks.UpdateTask.Time;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Makes a new log: its keys, its trust anchor, the secrets of its first period, and epoch 0, whose trees are empty. The caller must have
/// checked that the database has no epochs and that the board is empty. The task then signs and publishes epoch 0 like every other epoch.
/// </summary>
internal sealed class Genesis
{
    private readonly DataFolder _folder;
    private readonly LogOptions _options;
    private readonly KeySettings _keys;
    private readonly ClockGuard _clocks;
    private readonly ILogger<Genesis> _logger;

    public Genesis(DataFolder folder, IOptions<LogOptions> options, KeySettings keys, ClockGuard clocks, ILogger<Genesis> logger)
    {
        _folder = folder;
        _options = options.Value;
        _keys = keys;
        _clocks = clocks;
        _logger = logger;
    }

    public async Task CreateAsync(PipelineStore store, Lease lease, CancellationToken cancellationToken)
    {
        if (_clocks.Check(await store.ReadClockAsync(cancellationToken), out DateTimeOffset now) is { } problem)
        {
            throw new StartupException(ExitCodes.Configuration, problem);
        }
        Configuration configuration = Configured();
        _folder.EnsureCreated();
        using var identity = LogIdentity.Create(_folder, configuration, _keys);
        FailPoints.Hit(FailPoints.GenesisKey);
        ApiKey.EnsureDevelopmentKey(_folder);
        TrustAnchor anchor = identity.Anchor;
        if (anchor.Configuration != configuration)
        {
            _logger.GenesisOptionsIgnored(anchor.Configuration.Origin);
        }

        using var secrets = DirectorySecrets.Generate();
        byte[] record;
        using (var directory = KeyDirectory.Create(
            new DirectoryOptions { Secrets = secrets, Values = KeptValues.None, MaxValueLength = anchor.Configuration.MaxValueLength }))
        {
            record = new EpochRecord
            {
                LogId = anchor.LogId,
                Epoch = 0,
                Period = 0,
                PeriodFirstEpoch = 0,
                TimeMs = (ulong)now.ToUnixTimeMilliseconds(),
                Structures = directory.States(out _),
                Previous = new byte[EpochRecord.HashLength],
            }.Encode();
        }
        byte[] wrapped = identity.Secrets.WrapPeriod(secrets, period: 0, anchor.LogId.Span);
        await store.CreateGenesisAsync(
            lease,
            new EpochRow(0, record, EpochRecord.Hash(record), default),
            PeriodRow.Genesis(wrapped, anchor.ConfigurationOctets),
            cancellationToken);
        _logger.GenesisCreated(anchor.Configuration.Origin, _folder.TrustAnchor);
    }

    private Configuration Configured()
    {
        Configuration configuration = _options.ToConfiguration();
        try
        {
            // The call encodes the configuration only to check it. Encoding checks the limits that concern several fields or the encoded
            // bytes, such as the limit on the length of the origin.
            configuration.Encode();
            return configuration;
        }
        catch (EncodingException e)
        {
            throw new StartupException(
                ExitCodes.Configuration, $"{LogOptions.Section} is not a valid configuration of a log: {e.Message}", e);
        }
    }
}
