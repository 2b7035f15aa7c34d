using System.Runtime.InteropServices;
using Npgsql;
using NpgsqlTypes;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>AcceptColumns are requests and their items by columns, as one statement takes them, and that statement.</summary>
internal sealed class AcceptColumns
{
    /// <summary>
    /// Store is the part of a statement that stores the columns, $1 to $9, if the query <c>verdict (plain)</c> before it says so. Numbers are drawn first, so that a row's place in the
    /// list alone decides its number, whatever order a plan inserts in.
    /// </summary>
    public const string Store =
        """
        number AS MATERIALIZED (
          SELECT array_agg(seq ORDER BY seq) AS seqs
          FROM (SELECT nextval('request_seq_seq') AS seq FROM generate_series(1, cardinality($1)) WHERE (SELECT plain FROM verdict)) AS drawn
        ),
        stored AS (
          INSERT INTO request (seq, request_id, body_hash)
          SELECT n.seqs[r.number], r.request_id, r.body_hash
          FROM number AS n, unnest($1, $2) WITH ORDINALITY AS r (request_id, body_hash, number)
          WHERE (SELECT plain FROM verdict)
        ),
        queued AS (
          INSERT INTO pending (seq, item, structure, expected_period, expected_version, key, value)
          SELECT n.seqs[i.request], i.item, i.structure, i.expected_period, i.expected_version, i.key, i.value
          FROM number AS n, unnest($3, $4, $5, $6, $7, $8, $9) AS i (request, item, structure, expected_period, expected_version, key, value)
          WHERE (SELECT plain FROM verdict)
        )
        """;

    private readonly Guid[] _requestId;
    private readonly ReadOnlyMemory<byte>[] _bodyHash;
    private readonly int[] _request;
    private readonly short[] _item;
    private readonly short[] _structure;
    private readonly long?[] _period;
    private readonly long?[] _version;
    private readonly ReadOnlyMemory<byte>[] _key;
    private readonly ReadOnlyMemory<byte>[] _value;
    private readonly short[] _occurrence;

    /// <summary>AcceptColumns of requests in the order in which they are to be stored.</summary>
    public AcceptColumns(IReadOnlyList<AcceptRequest> requests)
    {
        int items = 0;
        foreach (AcceptRequest request in requests)
        {
            items += request.Items.Count;
        }
        _requestId = new Guid[requests.Count];
        _bodyHash = new ReadOnlyMemory<byte>[requests.Count];
        _request = new int[items];
        _item = new short[items];
        _structure = new short[items];
        _period = new long?[items];
        _version = new long?[items];
        _key = new ReadOnlyMemory<byte>[items];
        _value = new ReadOnlyMemory<byte>[items];
        _occurrence = new short[items];
        var ids = new HashSet<Guid>(requests.Count);
        var keys = new Dictionary<UpdateKey, short>(items);
        IsPlain = requests.Count > 0;
        int row = 0;
        for (int i = 0; i < requests.Count; i++)
        {
            AcceptRequest request = requests[i];
            _requestId[i] = request.RequestId;
            _bodyHash[i] = request.BodyHash;
            IsPlain &= ids.Add(request.RequestId);
            DateTimeOffset time = RequestIds.Time(request.RequestId);
            Earliest = i == 0 || time < Earliest ? time : Earliest;
            Latest = i == 0 || time > Latest ? time : Latest;
            for (int j = 0; j < request.Items.Count; j++, row++)
            {
                AcceptItem update = request.Items[j];
                _request[row] = i + 1;
                _item[row] = (short)j;
                _structure[row] = (short)update.Structure;
                _period[row] = update.Expected is { } expected ? checked((long)expected.Period) : null;
                _version[row] = update.Expected is { } latest ? checked((long)latest.Version) : null;
                _key[row] = update.Key;
                _value[row] = update.Value;
                ref short count = ref CollectionsMarshal.GetValueRefOrAddDefault(keys, new UpdateKey(update.Structure, update.Key), out _);
                _occurrence[row] = ++count;
                IsPlain &= count <= Limits.PendingPerKey;
            }
        }
    }

    /// <summary>IsPlain: no id stands twice and no key more often than it may wait. Whether all can be stored is then decided by what the database holds, not by their order.</summary>
    public bool IsPlain { get; }

    /// <summary>Earliest time of the ids.</summary>
    public DateTimeOffset Earliest { get; }

    /// <summary>Latest time of the ids.</summary>
    public DateTimeOffset Latest { get; }

    /// <summary>Occurrence of each item's key among the items up to it, from 1.</summary>
    public NpgsqlParameter Occurrence => Commands.List(_occurrence, NpgsqlDbType.Smallint);

    /// <summary>AddTo adds the parameters of <see cref="Store"/> to a command that has none yet.</summary>
    public void AddTo(NpgsqlParameterCollection parameters)
    {
        parameters.Add(Commands.List(_requestId, NpgsqlDbType.Uuid));
        parameters.Add(Commands.List(_bodyHash, NpgsqlDbType.Bytea));
        parameters.Add(Commands.List(_request, NpgsqlDbType.Integer));
        parameters.Add(Commands.List(_item, NpgsqlDbType.Smallint));
        parameters.Add(Commands.List(_structure, NpgsqlDbType.Smallint));
        parameters.Add(Commands.List(_period, NpgsqlDbType.Bigint));
        parameters.Add(Commands.List(_version, NpgsqlDbType.Bigint));
        parameters.Add(Commands.List(_key, NpgsqlDbType.Bytea));
        parameters.Add(Commands.List(_value, NpgsqlDbType.Bytea));
    }
}
