using Npgsql;
using NpgsqlTypes;

namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>
/// Writes rows for a COPY statement cell by cell into the connection's buffer. A write waits for the network only when the buffer is full,
/// and rows need no objects. Not thread-safe.
/// </summary>
internal sealed class Copy : IRowWriter
{
    private readonly NpgsqlBinaryImporter _importer;
    private readonly byte[] _octets = new byte[32];

    private Copy(NpgsqlBinaryImporter importer) => _importer = importer;

    /// <summary>Writes rows into a table by COPY.</summary>
    public static async Task RowsAsync(
        NpgsqlConnection connection, Table table, int rows, Action<IRowWriter, int> write, CancellationToken cancellationToken)
    {
        if (rows == 0)
        {
            return;
        }
        await using NpgsqlBinaryImporter importer =
            await connection.BeginBinaryImportAsync($"COPY {Columns(table)} FROM STDIN (FORMAT BINARY)", cancellationToken);
        var copy = new Copy(importer);
        for (int i = 0; i < rows; i++)
        {
            importer.StartRow();
            write(copy, i);
        }
        _ = await importer.CompleteAsync(cancellationToken);
    }

    public void WriteInt64(long? value)
    {
        if (value is long present)
        {
            _importer.Write(present, NpgsqlDbType.Bigint);
            return;
        }
        WriteNull();
    }

    public void WriteInt32(int? value)
    {
        if (value is int present)
        {
            _importer.Write(present, NpgsqlDbType.Integer);
            return;
        }
        WriteNull();
    }

    public void WriteInt16(int? value)
    {
        if (value is int present)
        {
            _importer.Write(checked((short)present), NpgsqlDbType.Smallint);
            return;
        }
        WriteNull();
    }

    public void WriteBytes(ReadOnlyMemory<byte> value) => _importer.Write(value, NpgsqlDbType.Bytea);

    public void WriteBytes(ReadOnlySpan<byte> value)
    {
        value.CopyTo(_octets);
        WriteBytes(_octets.AsMemory(0, value.Length));
    }

    public void WriteNull() => _importer.WriteNull();

    public void WriteRequestId(Guid value) => _importer.Write(value, NpgsqlDbType.Uuid);

    private static string Columns(Table table) => table switch
    {
        Table.Request => "request (seq, request_id, body_hash)",
        Table.Pending => "pending (seq, item, structure, expected_period, expected_version, key, value, request_id, body_hash)",
        Table.Outcome => "outcome (seq, item, epoch, ordinal, refusal, refused_item, current_period, current_version)",
        Table.Leaf => "leaf (epoch, ordinal, structure, period, version, label, commitment, tag, request_id, item)",
        Table.Value => "value (epoch, ordinal, opening, key, value)",
        Table.Erasure => "erasure (decided_in, number, epoch, period, ordinal, request_id, item)",
        Table.Epoch => "epoch (epoch, leaves, value_bytes, record_hash, record, checkpoint)",
        Table.Copy => "copy (period, number, structure, version, source_epoch, source_ordinal, label, commitment, tag)",
        Table.CopyValue => "copy_value (period, number, opening, key, value)",
        _ => "period (period, state, first_epoch, copies, wrapped_secrets, configuration)",
    };
}
