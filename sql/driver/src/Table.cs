namespace Optiks.Storage.Driver;

/// <summary>Table that rows are copied into, and the order of their columns.</summary>
public enum Table
{
    /// <summary>Request: seq, request_id, body_hash.</summary>
    Request,

    /// <summary>Pending: seq, item, structure, expected_period, expected_version, key, value; request_id and body_hash where <see cref="ISession.FindRequestsAsync"/> gives them.</summary>
    Pending,

    /// <summary>Outcome: seq, item, epoch, ordinal, refusal, refused_item, current_period, current_version.</summary>
    Outcome,

    /// <summary>Leaf: epoch, ordinal, structure, period, version, label, commitment, tag, request_id, item.</summary>
    Leaf,

    /// <summary>Value: epoch, ordinal, opening, key, value.</summary>
    Value,

    /// <summary>Epoch: epoch, leaves, value_bytes, record_hash, record, checkpoint.</summary>
    Epoch,

    /// <summary>Period: period, state, first_epoch, copies, wrapped_secrets, configuration.</summary>
    Period,

    /// <summary>Erasure: decided_in, number, epoch, period, ordinal, request_id, item.</summary>
    Erasure,

    /// <summary>Copy: period, number, structure, version, source_epoch, source_ordinal, label, commitment, tag.</summary>
    Copy,

    /// <summary>CopyValue: period, number, opening, key, value.</summary>
    CopyValue,
}
