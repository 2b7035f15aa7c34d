namespace Optiks.Storage;

/// <summary>Names the tables into which drivers write rows in bulk. Each summary lists the table's columns in order.</summary>
public enum Table
{
    /// <summary>The table of requests, with the columns seq, request_id, body_hash.</summary>
    Request,

    /// <summary>
    /// The table of pending items, with the columns seq, item, structure, expected_period, expected_version, key, value. Engines for which
    /// <see cref="ISession.FindRequestsAsync"/> does not return null also have the columns request_id and body_hash.
    /// </summary>
    Pending,

    /// <summary>The table of outcomes, with the columns seq, item, epoch, ordinal, refusal, refused_item, current_period,
    /// current_version.</summary>
    Outcome,

    /// <summary>The table of leaves, with the columns epoch, ordinal, structure, period, version, label, commitment, tag, request_id,
    /// item.</summary>
    Leaf,

    /// <summary>The table of the leaves' values, with the columns epoch, ordinal, opening, key, value.</summary>
    Value,

    /// <summary>The table of epochs, with the columns epoch, leaves, value_bytes, record_hash, record, checkpoint.</summary>
    Epoch,

    /// <summary>The table of periods, with the columns period, state, first_epoch, copies, wrapped_secrets, configuration.</summary>
    Period,

    /// <summary>The table of erasures, with the columns decided_in, number, epoch, period, ordinal, request_id, item.</summary>
    Erasure,

    /// <summary>The table of copies, with the columns period, number, structure, version, source_epoch, source_ordinal, label, commitment,
    /// tag.</summary>
    Copy,

    /// <summary>The table of the copies' values, with the columns period, number, opening, key, value.</summary>
    CopyValue,
}
