namespace Optiks.Storage.Driver;

/// <summary>Names the tables that rows are copied into, each with its columns in order.</summary>
public enum Table
{
    /// <summary>Columns: seq, request_id, body_hash.</summary>
    Request,

    /// <summary>
    /// Columns: seq, item, structure, expected_period, expected_version, key, value; also request_id and body_hash, in engines for which
    /// <see cref="ISession.FindRequestsAsync"/> does not return null.
    /// </summary>
    Pending,

    /// <summary>Columns: seq, item, epoch, ordinal, refusal, refused_item, current_period, current_version.</summary>
    Outcome,

    /// <summary>Columns: epoch, ordinal, structure, period, version, label, commitment, tag, request_id, item.</summary>
    Leaf,

    /// <summary>Columns: epoch, ordinal, opening, key, value.</summary>
    Value,

    /// <summary>Columns: epoch, leaves, value_bytes, record_hash, record, checkpoint.</summary>
    Epoch,

    /// <summary>Columns: period, state, first_epoch, copies, wrapped_secrets, configuration.</summary>
    Period,

    /// <summary>Columns: decided_in, number, epoch, period, ordinal, request_id, item.</summary>
    Erasure,

    /// <summary>Columns: period, number, structure, version, source_epoch, source_ordinal, label, commitment, tag.</summary>
    Copy,

    /// <summary>Columns: period, number, opening, key, value.</summary>
    CopyValue,
}
