namespace Optiks.Storage.Driver;

/// <summary>
/// An engine's SQL for the rules of this project. Each summary lists the columns that a statement returns, and its parameters in their
/// order, by name. An engine's statement need not use the last parameters.
/// </summary>
public sealed class Statements
{
    /// <summary>Returns the head row: epoch, record_hash, published_epoch, fence, holder, lease_end.</summary>
    public required Sql Head { get; init; }

    /// <summary>Returns the database's present time, not the time at which the transaction began.</summary>
    public required Sql Clock { get; init; }

    /// <summary>Returns all periods in order: period, state, first_epoch, copies, wrapped_secrets, configuration.</summary>
    public required Sql Periods { get; init; }

    /// <summary>Returns at most max epochs in order: epoch, record, record_hash, checkpoint. Parameters: first, last, max.</summary>
    public required Sql Epochs { get; init; }

    /// <summary>
    /// Takes the lease if nobody holds it, if it has ended, or if the holder already has it, and raises the fence. Returns fence and
    /// lease_end; no row when another holder's lease runs. Parameters: holder, duration, session.
    /// </summary>
    public required Sql AcquireLease { get; init; }

    /// <summary>Moves the end of the lease. Parameters: duration, fence, holder, session.</summary>
    public required Sql RenewLease { get; init; }

    /// <summary>Ends the lease. Parameters: fence, holder.</summary>
    public required Sql ReleaseLease { get; init; }

    /// <summary>
    /// Keeps the lease from being taken over before the transaction ends; changes no row when the lease is lost. Parameters: fence, holder.
    /// </summary>
    public required Sql HoldLease { get; init; }

    /// <summary>
    /// Does the same as <see cref="HoldLease"/>, and lets no other transaction hold the lease at the same time. Parameters: fence, holder.
    /// </summary>
    public required Sql LockLease { get; init; }

    /// <summary>
    /// Locks the head row until the transaction ends, whoever holds the lease, so that no transaction is writing an epoch and no period
    /// begins.
    /// </summary>
    public required Sql LockHead { get; init; }

    /// <summary>Returns the number of pending rows, up to atMost. Parameters: atMost.</summary>
    public required Sql CountPending { get; init; }

    /// <summary>
    /// Returns a row if the epoch may follow the head row. The epoch before it must be the last epoch, must be published, and must have a
    /// record with the hash previous. The holder must hold the lease. Parameters: epoch, previous, fence, holder.
    /// </summary>
    public required Sql FollowsHead { get; init; }

    /// <summary>
    /// Makes the epoch the last epoch, on the condition of <see cref="FollowsHead"/>. Parameters: epoch, previous, fence, holder, hash.
    /// </summary>
    public required Sql MoveHead { get; init; }

    /// <summary>Adds an epoch's row. Parameters: epoch, leaves, valueBytes, hash, record.</summary>
    public required Sql InsertEpoch { get; init; }

    /// <summary>Makes epoch 0 the last epoch in a database without epochs. Parameters: hash, fence, holder.</summary>
    public required Sql MoveHeadToGenesis { get; init; }

    /// <summary>Adds a period unless its number exists. Parameters: period, state, first, copies, secrets, configuration.</summary>
    public required Sql InsertPeriod { get; init; }

    /// <summary>Returns a row if the epoch is stored with a record of this hash. Parameters: epoch, hash.</summary>
    public required Sql HasEpoch { get; init; }

    /// <summary>
    /// Stores the note of an epoch whose record has this hash. No takeover happens before the transaction ends. Parameters: checkpoint,
    /// epoch, hash, fence, holder.
    /// </summary>
    public required Sql StoreCheckpoint { get; init; }

    /// <summary>
    /// Makes the last epoch the published epoch if it has a checkpoint, and notifies listeners. Parameters: epoch, fence, holder.
    /// </summary>
    public required Sql Publish { get; init; }

    /// <summary>
    /// Returns seq and body_hash of the request of each leaf of an epoch, in the order of the leaves; nulls when a leaf has no request.
    /// Parameters: epoch.
    /// </summary>
    public required Sql PublishedRequests { get; init; }

    /// <summary>
    /// Returns the refusals of an epoch, in order: seq, item, refusal, refused_item, current_period, current_version, request_id,
    /// body_hash. Parameters: epoch.
    /// </summary>
    public required Sql RefusedItems { get; init; }

    /// <summary>
    /// Deletes the outcomes of the requests that <see cref="ForgetRequests"/> deletes next; null when that statement deletes them too.
    /// Parameters: bound, max.
    /// </summary>
    public Sql? ForgetOutcomes { get; init; }

    /// <summary>
    /// Deletes the max oldest requests with ids below the bound, except those that are pending or belong to an unpublished epoch.
    /// Parameters: bound, max.
    /// </summary>
    public required Sql ForgetRequests { get; init; }

    /// <summary>
    /// Returns a row for each outcome of a request, in the order of its items, or one row for a request without outcomes: published_epoch
    /// of the head row; whether the request is pending; epoch, refusal, refused_item, current_period, current_version and ordinal of the
    /// outcome; structure, period and version of its leaf; key of its value. Parameters: id.
    /// </summary>
    public required Sql Status { get; init; }

    /// <summary>Deletes the values of the leaves whose erasures this epoch decided. Parameters: epoch.</summary>
    public required Sql EraseValues { get; init; }

    /// <summary>Deletes the values of the copies whose erasures this epoch decided. Parameters: epoch.</summary>
    public required Sql EraseCopies { get; init; }

    /// <summary>Returns whether there are copies.</summary>
    public required Sql HasCopies { get; init; }

    /// <summary>
    /// Returns the copies of a leaf or, with epoch 0, of the period's copy with this number: period, number, whether the copy has a value,
    /// and whether a later row of its key superseded it. Parameters: epoch, period, ordinal.
    /// </summary>
    public required Sql CopiesOf { get; init; }

    /// <summary>
    /// Returns the source of a copy, if it has one: source_epoch, source_ordinal, and whether the source has a value. Parameters: period,
    /// number.
    /// </summary>
    public required Sql SourceOf { get; init; }

    /// <summary>
    /// Returns at most max erasures from (epoch, number) on that epochs up to last decided, in order: decided_in, number, epoch, period,
    /// ordinal, request_id, item; structure, label and commitment of the leaf or copy, or nulls. Parameters: epoch, number, last, max.
    /// </summary>
    public required Sql Erasures { get; init; }

    /// <summary>
    /// Returns the values that this request erased in this epoch, if the epoch is published, in order: structure, period, version and epoch
    /// of each leaf, and of each copy of a period that had begun; a copy's epoch is its period's first. Omits rows that a later row
    /// superseded, because they are not versions. Parameters: epoch, id.
    /// </summary>
    public required Sql Receipt { get; init; }

    /// <summary>Returns a leaf: structure, label, and whether it has a value. Parameters: epoch, ordinal.</summary>
    public required Sql LeafAt { get; init; }

    /// <summary>Returns the value of a leaf, if it has one. Parameters: epoch, ordinal.</summary>
    public required Sql ValueAt { get; init; }

    /// <summary>Returns at most max epochs in order: epoch, leaves, value_bytes. Parameters: first, last, max.</summary>
    public required Sql EpochSizes { get; init; }

    /// <summary>
    /// Returns the leaves of epochs in order: epoch * 2^28 + ordinal, structure, version, label, commitment, tag. Parameters: first, last.
    /// </summary>
    public required Sql LeavesOfTrees { get; init; }

    /// <summary>
    /// Returns <see cref="LeavesOfTrees"/> with opening and value, or nulls; leaves of other structures than devices always have nulls.
    /// Parameters: first, last.
    /// </summary>
    public required Sql LeavesWithLists { get; init; }

    /// <summary>Returns <see cref="LeavesOfTrees"/> with opening and value, or nulls. Parameters: first, last.</summary>
    public required Sql LeavesWithValues { get; init; }

    /// <summary>Returns <see cref="LeavesWithValues"/> with item, request_id, and key or null. Parameters: first, last.</summary>
    public required Sql WholeLeaves { get; init; }

    /// <summary>Returns <see cref="LeavesOfTrees"/> for the leaves of usernames and decommissioned only. Parameters: first, last.</summary>
    public required Sql NamesOfTrees { get; init; }

    /// <summary>
    /// Returns <see cref="LeavesWithValues"/> for the leaves of usernames and decommissioned only. Parameters: first, last.
    /// </summary>
    public required Sql NamesWithValues { get; init; }

    /// <summary>
    /// Returns at most max epochs from first on: epoch, record, record_hash, checkpoint, leaves, value_bytes. Parameters: first, max.
    /// </summary>
    public required Sql StoredEpochs { get; init; }

    /// <summary>
    /// Returns at most max leaves from (epoch, ordinal) on, and stops after the leaf whose value exceeds the given sum of bytes: epoch,
    /// ordinal, structure, period, version, label, commitment, tag, request_id, item; opening, key, value, or nulls. An engine that
    /// produces rows only when they are read leaves the limit of bytes to the reader (<see cref="StoredPages"/>). The statement may return
    /// a further column. Parameters: epoch, ordinal, max, bytes.
    /// </summary>
    public required Sql StoredLeaves { get; init; }

    /// <summary>Returns the number of values.</summary>
    public required Sql CountValues { get; init; }

    /// <summary>Sets the state of the period from current to ended. Parameters: period.</summary>
    public required Sql EndPeriod { get; init; }

    /// <summary>
    /// Makes the next period the current one, with this first epoch, if it has exactly this number of copies. Parameters: period, first,
    /// copies.
    /// </summary>
    public required Sql StartPeriod { get; init; }

    /// <summary>Empties the secrets of a period that has ended and sets its state to destroying. Parameters: period.</summary>
    public required Sql DestroySecrets { get; init; }

    /// <summary>Replaces a period's wrapped secrets if they are still the given ones. Parameters: period, before, after.</summary>
    public required Sql RewrapSecrets { get; init; }

    /// <summary>Deletes at most max values of a period's copies. Parameters: period, max.</summary>
    public required Sql DestroyCopies { get; init; }

    /// <summary>
    /// Sets a period's state from destroying to destroyed if it has neither secrets nor values of copies. Parameters: period.
    /// </summary>
    public required Sql EndDestroying { get; init; }

    /// <summary>Returns a period's state, and the number after the number of its last copy. Parameters: period.</summary>
    public required Sql NextCopy { get; init; }

    /// <summary>
    /// Returns a row if the copy is stored with this label and commitment. Parameters: period, number, label, commitment.
    /// </summary>
    public required Sql HasCopy { get; init; }

    /// <summary>
    /// Returns the first epoch of an ended period whose leaves may have values of devices and keys, and the first epoch of the period after
    /// it. Parameters: period.
    /// </summary>
    public required Sql LeftToDestroy { get; init; }

    /// <summary>Deletes the values of leaves of devices and keys of epochs first..last. Parameters: first, last.</summary>
    public required Sql DestroyLeaves { get; init; }

    /// <summary>Records that the period's epochs before this one have no values of devices and keys. Parameters: period, before.</summary>
    public required Sql SetDestroyedBefore { get; init; }

    /// <summary>
    /// Returns the last copy with this label: number, version, and whether it has its value. Parameters: period, structure, label.
    /// </summary>
    public required Sql FindCopy { get; init; }

    /// <summary>Returns the value of a copy. Parameters: period, number.</summary>
    public required Sql CopyValueAt { get; init; }

    /// <summary>
    /// Returns how many copies from this number on have a value and a source that has its value too. Parameters: period, number.
    /// </summary>
    public required Sql CountSources { get; init; }

    /// <summary>
    /// Returns the numbers of the copies that the copies with these numbers superseded. Parameters: period, number, last.
    /// </summary>
    public required Sql Superseded { get; init; }

    /// <summary>Deletes the values of the copies that the copies from this number on superseded. Parameters: period, number.</summary>
    public required Sql DropSuperseded { get; init; }

    /// <summary>
    /// Returns copies of a period in order: number, structure, version, source_epoch, source_ordinal, label, commitment, tag. Parameters:
    /// period, number, max.
    /// </summary>
    public required Sql CopiesOfTrees { get; init; }

    /// <summary>
    /// Returns <see cref="CopiesOfTrees"/> with opening and value, or nulls; copies of other structures than devices always have nulls. It
    /// limits bytes as <see cref="StoredLeaves"/> does. Parameters: period, number, max, bytes.
    /// </summary>
    public required Sql CopiesWithLists { get; init; }

    /// <summary>
    /// Returns the values of the copies with the numbers number..last, in order: number, opening, value, key; limits bytes as
    /// <see cref="StoredLeaves"/> does. This statement passes once through an index, whereas a join would look up each value. Parameters:
    /// period, number, last, bytes.
    /// </summary>
    public required Sql CopyValues { get; init; }

    /// <summary>
    /// Returns copies from (period, number) on, including those of later periods: period, number, structure, version, source_epoch,
    /// source_ordinal, label, commitment, tag; opening, key, value, or nulls. It limits bytes as <see cref="StoredLeaves"/> does.
    /// Parameters: period, number, max, bytes.
    /// </summary>
    public required Sql StoredCopies { get; init; }

    /// <summary>Returns the number of values of copies.</summary>
    public required Sql CountCopyValues { get; init; }

    /// <summary>
    /// Records that the operator requests that this period begin; changes no row when that is already recorded. Parameters: period.
    /// </summary>
    public required Sql RequestSwitch { get; init; }

    /// <summary>Returns the period after the current one, if the operator requested that it begin.</summary>
    public required Sql RequestedSwitch { get; init; }

    /// <summary>Returns at most max requests after this sequence number: seq, request_id, body_hash. Parameters: after, max.</summary>
    public required Sql StoredRequests { get; init; }

    /// <summary>
    /// Returns pending rows: seq, item, structure, key, value, expected_period, expected_version, and whether the row names its own
    /// request, or null when the engine's pending rows name no request. Parameters: after, through.
    /// </summary>
    public required Sql StoredPending { get; init; }

    /// <summary>
    /// Returns outcomes: seq, item, epoch, ordinal, refusal, refused_item, current_period, current_version; request_id and item of the
    /// leaf, or nulls. Parameters: after, through.
    /// </summary>
    public required Sql StoredOutcomes { get; init; }

    /// <summary>Returns whether anything was ever written.</summary>
    public required Sql HasRows { get; init; }

    /// <summary>
    /// Makes the numbers of new requests continue after the number of the last imported request; null when the engine needs no statement
    /// for that. Parameters: last.
    /// </summary>
    public Sql? ContinueNumbers { get; init; }

    /// <summary>Writes the imported head row; nobody holds the lease afterwards. Parameters: epoch, hash, published, fence.</summary>
    public required Sql SetHead { get; init; }
}
