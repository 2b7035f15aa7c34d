using Npgsql;
using NpgsqlTypes;
using Optiks.Storage.Driver;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>
/// AcceptColumns are requests and their items by columns, as one statement takes them (<see cref="Verdict"/>, <see cref="Store"/>), or COPY (<see cref="CopyAsync"/>). Items are in the order of
/// their keys: so the index by key is gone through from one end to the other, and not back and forth. The order of acceptance is in the numbers.
/// </summary>
internal sealed class AcceptColumns
{
    /// <summary>
    /// Verdict is a condition on the columns and the floor, $1 to $7: all can be stored if no id is known, or may stay if they are inserted. The same rules as <see cref="AcceptPlan"/>'s, for
    /// all requests at once, but that every key, unless they are inserted, is taken to stand as often as the one that stands most often: the keys are found in one scan.
    /// </summary>
    public static readonly string Verdict =
        $"""
        $3 >= clock_timestamp() - interval '{Limits.RequestIdBehind.TotalSeconds} s' AND $4 <= clock_timestamp() + interval '{Limits.RequestIdAhead.TotalSeconds} s'
          AND NOT EXISTS (SELECT FROM pending WHERE key = ANY ($1) GROUP BY key, structure HAVING count(*) + $2 > {Limits.PendingPerKey})
          AND EXISTS (SELECT FROM head WHERE one = 1 AND coalesce(epoch + 1, 0) >= $5 AND ($6 IS NULL OR epoch IS DISTINCT FROM $6 OR record_hash = $7))
        """;

    /// <summary>
    /// Store is the part of a statement that stores the columns, $1 and $8 to $17, if the query <c>verdict (plain)</c> before it says so. Numbers are drawn first, so that a row's
    /// index in the list alone decides its number, whatever order a plan inserts in.
    /// </summary>
    public const string Store =
        """
        number AS MATERIALIZED (
          SELECT array_agg(seq ORDER BY seq) AS seqs
          FROM (SELECT nextval('request_seq_seq') AS seq FROM generate_series(1, cardinality($8)) WHERE (SELECT plain FROM verdict)) AS drawn
        ),
        stored AS (
          INSERT INTO request (seq, request_id, body_hash)
          SELECT n.seqs[r.number], r.request_id, r.body_hash
          FROM number AS n, unnest($8, $9) WITH ORDINALITY AS r (request_id, body_hash, number)
          WHERE (SELECT plain FROM verdict)
        ),
        queued AS (
          INSERT INTO pending (seq, item, structure, expected_period, expected_version, key, value, request_id, body_hash)
          SELECT n.seqs[i.request], i.item, i.structure, i.expected_period, i.expected_version, i.key, i.value, i.request_id, i.body_hash
          FROM number AS n,
            unnest($10, $11, $12, $13, $14, $1, $15, $16, $17) AS i (request, item, structure, expected_period, expected_version, key, value, request_id, body_hash)
          WHERE (SELECT plain FROM verdict)
        )
        """;

    private readonly Guid[] _requestId;
    private readonly ReadOnlyMemory<byte>[] _bodyHash;

    // Of the items, in the order of their keys. A request's number is from 1 on.
    private readonly int[] _request;
    private readonly short[] _item;
    private readonly short[] _structure;
    private readonly long?[] _period;
    private readonly long?[] _version;
    private readonly ReadOnlyMemory<byte>[] _key;
    private readonly ReadOnlyMemory<byte>[] _value;

    // Of the key that stands most often.
    private readonly int _occurrences;
    private readonly DateTimeOffset _earliest = DateTimeOffset.MaxValue;
    private readonly DateTimeOffset _latest = DateTimeOffset.MinValue;

    /// <summary>AcceptColumns of requests in the order in which they are to be stored.</summary>
    public AcceptColumns(IReadOnlyList<AcceptRequest> requests)
    {
        _requestId = new Guid[requests.Count];
        _bodyHash = new ReadOnlyMemory<byte>[requests.Count];
        var items = new List<(int Request, int Item, AcceptItem Update)>(requests.Count);
        var ids = new HashSet<Guid>(requests.Count);
        IsPlain = requests.Count > 0;
        for (int i = 0; i < requests.Count; i++)
        {
            AcceptRequest request = requests[i];
            _requestId[i] = request.RequestId;
            _bodyHash[i] = request.BodyHash;
            IsPlain &= ids.Add(request.RequestId);
            DateTimeOffset time = RequestIds.Time(request.RequestId);
            _earliest = time < _earliest ? time : _earliest;
            _latest = time > _latest ? time : _latest;
            for (int j = 0; j < request.Items.Count; j++)
            {
                items.Add((i + 1, j, request.Items[j]));
            }
        }
        items.Sort((one, other) => Compare(one.Update, other.Update));
        Items = items.Count;
        _request = new int[Items];
        _item = new short[Items];
        _structure = new short[Items];
        _period = new long?[Items];
        _version = new long?[Items];
        _key = new ReadOnlyMemory<byte>[Items];
        _value = new ReadOnlyMemory<byte>[Items];
        int occurrences = 0;
        for (int i = 0; i < Items; i++)
        {
            AcceptItem update = items[i].Update;
            _request[i] = items[i].Request;
            _item[i] = (short)items[i].Item;
            _structure[i] = (short)update.Structure;
            _period[i] = update.Expected is { } expected ? checked((long)expected.Period) : null;
            _version[i] = update.Expected is { } latest ? checked((long)latest.Version) : null;
            _key[i] = update.Key;
            _value[i] = update.Value;
            occurrences = i > 0 && Compare(items[i - 1].Update, update) == 0 ? occurrences + 1 : 1;
            _occurrences = Math.Max(_occurrences, occurrences);
        }
        IsPlain &= _occurrences <= Limits.PendingPerKey;
    }

    /// <summary>Items in all.</summary>
    public int Items { get; }

    /// <summary>IsPlain: no id stands twice and no key more often than it may wait. Whether all can be stored is then decided by what the database holds, not by their order.</summary>
    public bool IsPlain { get; }

    /// <summary>AddVerdictTo adds the parameters of <see cref="Verdict"/>, on columns that are inserted or not, to a command that has none yet.</summary>
    public void AddVerdictTo(NpgsqlParameterCollection parameters, HeadFloor floor, bool areInserted)
    {
        parameters.Add(Commands.List(_key, NpgsqlDbType.Bytea));
        parameters.Add(Commands.Integer(areInserted ? 0 : _occurrences));
        parameters.Add(Commands.Time(_earliest));
        parameters.Add(Commands.Time(_latest));
        parameters.Add(Commands.Bigint(floor.Epochs));
        parameters.Add(floor.Epoch is { } epoch ? Commands.Bigint(epoch) : Commands.Null(NpgsqlDbType.Bigint));
        parameters.Add(Commands.Bytea(floor.RecordHash));
    }

    /// <summary>AddStoreTo adds the parameters of <see cref="Store"/> after those of the verdict.</summary>
    public void AddStoreTo(NpgsqlParameterCollection parameters)
    {
        parameters.Add(Commands.List(_requestId, NpgsqlDbType.Uuid));
        parameters.Add(Commands.List(_bodyHash, NpgsqlDbType.Bytea));
        parameters.Add(Commands.List(_request, NpgsqlDbType.Integer));
        parameters.Add(Commands.List(_item, NpgsqlDbType.Smallint));
        parameters.Add(Commands.List(_structure, NpgsqlDbType.Smallint));
        parameters.Add(Commands.List(_period, NpgsqlDbType.Bigint));
        parameters.Add(Commands.List(_version, NpgsqlDbType.Bigint));
        parameters.Add(Commands.List(_value, NpgsqlDbType.Bytea));
        parameters.Add(Commands.List(Array.ConvertAll(_request, request => _requestId[request - 1]), NpgsqlDbType.Uuid));
        parameters.Add(Commands.List(Array.ConvertAll(_request, request => _bodyHash[request - 1]), NpgsqlDbType.Bytea));
    }

    /// <summary>
    /// CopyAsync stores the columns inside a transaction, under numbers that it draws once a statement has taken <see cref="AdvisoryLocks.Accept"/>. The server refuses an id that it has: a unique
    /// violation; one that another transaction is about to store is waited for.
    /// </summary>
    public async Task CopyAsync(NpgsqlConnection connection, string take, CancellationToken cancellationToken)
    {
        await using var batch = new NpgsqlBatch(connection);
        _ = batch.Add(take);
        _ = batch.Add("SELECT array_agg(seq ORDER BY seq) FROM (SELECT nextval('request_seq_seq') AS seq FROM generate_series(1, $1)) AS drawn", Commands.Integer(_requestId.Length));
        long[] numbers;
        await using (NpgsqlDataReader reader = await batch.ExecuteReaderAsync(cancellationToken))
        {
            _ = await reader.NextResultAsync(cancellationToken);
            _ = await reader.ReadAsync(cancellationToken);
            numbers = reader.GetFieldValue<long[]>(0);
        }
        FailPoints.Hit(FailPoints.Draw);
        // In the order of their ids: of two transactions with the same ids one waits for the other, and never each for each.
        int[] order = [.. Enumerable.Range(0, _requestId.Length)];
        Array.Sort((Guid[])_requestId.Clone(), order);
        await Copy.RowsAsync(
            connection,
            Table.Request,
            order.Length,
            (cells, row) =>
            {
                int i = order[row];
                cells.Big(numbers[i]);
                cells.RequestId(_requestId[i]);
                cells.Octets(_bodyHash[i]);
            },
            cancellationToken);
        await Copy.RowsAsync(
            connection,
            Table.Pending,
            Items,
            (cells, i) =>
            {
                int request = _request[i] - 1;
                cells.Big(numbers[request]);
                cells.Small(_item[i]);
                cells.Small(_structure[i]);
                cells.Big(_period[i]);
                cells.Big(_version[i]);
                cells.Octets(_key[i]);
                cells.Octets(_value[i]);
                cells.RequestId(_requestId[request]);
                cells.Octets(_bodyHash[request]);
            },
            cancellationToken);
    }

    private static int Compare(AcceptItem one, AcceptItem other)
    {
        int keys = one.Key.Span.SequenceCompareTo(other.Key.Span);
        return keys != 0 ? keys : one.Structure.CompareTo(other.Structure);
    }
}
