namespace Optiks.Storage;

/// <summary>
/// Holds the SQL statements of one engine. Each summary lists the columns that a statement returns, and then the names of its parameters in
/// their order. An engine's statement may leave the last parameters unused.
/// </summary>
public sealed class Statements
{
    /// <summary>Returns the head row. Columns: epoch, record_hash, published_epoch, fence, holder, lease_end.</summary>
    public required Sql Head { get; init; }

    /// <summary>Returns the database's time at the call, not the time at which the transaction began.</summary>
    public required Sql Clock { get; init; }

    /// <summary>Returns all periods in order. Columns: period, state, first_epoch, copies, wrapped_secrets, configuration.</summary>
    public required Sql Periods { get; init; }

    /// <summary>Returns the epochs from <c>first</c> to <c>last</c> in order, at most <c>max</c> of them. Columns: epoch, record,
    /// record_hash, checkpoint. Parameters: first, last, max.</summary>
    public required Sql Epochs { get; init; }

    /// <summary>
    /// Takes the lease for the holder and increases the fence, if nobody has the lease, if it has expired, or if the holder already has it.
    /// Returns no row while another holder's lease has not expired. Columns: fence, lease_end. Parameters: holder, duration, session.
    /// </summary>
    public required Sql AcquireLease { get; init; }

    /// <summary>Moves the end of the lease to the given duration from now. Parameters: duration, fence, holder, session.</summary>
    public required Sql RenewLease { get; init; }

    /// <summary>Ends the holder's lease at once. Parameters: fence, holder.</summary>
    public required Sql ReleaseLease { get; init; }

    /// <summary>
    /// Prevents other holders from taking over the lease before the transaction ends; changes no row if the holder has lost the lease.
    /// Parameters: fence, holder.
    /// </summary>
    public required Sql HoldLease { get; init; }

    /// <summary>
    /// Does the same as <see cref="HoldLease"/>, and also makes other transactions that run either statement wait. Parameters: fence,
    /// holder.
    /// </summary>
    public required Sql LockLease { get; init; }

    /// <summary>
    /// Locks the head row until the transaction ends, no matter who holds the lease, so that no other transaction can write an epoch or
    /// begin a period meanwhile.
    /// </summary>
    public required Sql LockHead { get; init; }

    /// <summary>Returns the number of pending rows; the count stops at the parameter <c>atMost</c>. Parameters: atMost.</summary>
    public required Sql CountPending { get; init; }

    /// <summary>
    /// Returns a row if the epoch may be committed next. The previous epoch must be the last one in the head row, must be published, and
    /// must have a record with the given hash. The holder must have the lease. Parameters: epoch, previous (the hash), fence, holder.
    /// </summary>
    public required Sql FollowsHead { get; init; }

    /// <summary>
    /// Makes the epoch the last one in the head row, if the conditions of <see cref="FollowsHead"/> hold. Parameters: epoch, previous,
    /// fence, holder, hash.
    /// </summary>
    public required Sql MoveHead { get; init; }

    /// <summary>Adds the row of an epoch. Parameters: epoch, leaves, valueBytes, hash, record.</summary>
    public required Sql InsertEpoch { get; init; }

    /// <summary>Makes epoch 0 the last epoch in the head row of a database without epochs. Parameters: hash, fence, holder.</summary>
    public required Sql MoveHeadToGenesis { get; init; }

    /// <summary>Adds a period, unless a period with this number exists. Parameters: period, state, first, copies, secrets,
    /// configuration.</summary>
    public required Sql InsertPeriod { get; init; }

    /// <summary>Returns a row if the epoch is stored with a record of this hash. Parameters: epoch, hash.</summary>
    public required Sql HasEpoch { get; init; }

    /// <summary>
    /// Stores the checkpoint of an epoch whose record has this hash. No other holder takes over the lease before the transaction ends.
    /// Parameters: checkpoint, epoch, hash, fence, holder.
    /// </summary>
    public required Sql StoreCheckpoint { get; init; }

    /// <summary>
    /// Makes the last epoch the published one if it has a checkpoint, and notifies the stores that wait for it. Parameters: epoch, fence,
    /// holder.
    /// </summary>
    public required Sql Publish { get; init; }

    /// <summary>
    /// Returns one row for each leaf of an epoch, in order, with two columns of the leaf's request: seq, body_hash. Both columns are null
    /// if the leaf has no request. Parameters: epoch.
    /// </summary>
    public required Sql PublishedRequests { get; init; }

    /// <summary>
    /// Returns the outcomes without leaves of an epoch, in order. Columns: seq, item, refusal, refused_item, current_period,
    /// current_version, request_id, body_hash. Parameters: epoch.
    /// </summary>
    public required Sql ItemsWithoutLeaves { get; init; }

    /// <summary>
    /// Deletes the outcomes of the requests that <see cref="ForgetRequests"/> deletes next; null if that statement also deletes the
    /// outcomes. Parameters: bound, max.
    /// </summary>
    public Sql? ForgetOutcomes { get; init; }

    /// <summary>
    /// Deletes at most <c>max</c> requests whose ids are below the bound, oldest first, except requests that are pending or belong to an
    /// unpublished epoch. Parameters: bound, max.
    /// </summary>
    public required Sql ForgetRequests { get; init; }

    /// <summary>
    /// Returns one row for each outcome of a request, in the order of its items, or one row for a request without outcomes. Columns:
    /// published_epoch of the head row; whether the request is pending; epoch, refusal, refused_item, current_period, current_version and
    /// ordinal of the outcome; structure, period and version of the outcome's leaf; key of that leaf's value. Parameters: id.
    /// </summary>
    public required Sql Status { get; init; }

    /// <summary>Deletes the values of all leaves whose erasure the epoch decided. Parameters: epoch.</summary>
    public required Sql EraseValues { get; init; }

    /// <summary>Deletes the values of all copies whose erasure the epoch decided. Parameters: epoch.</summary>
    public required Sql EraseCopies { get; init; }

    /// <summary>Returns whether the database has any copies.</summary>
    public required Sql HasCopies { get; init; }

    /// <summary>
    /// Returns the copies of a leaf; if <c>epoch</c> is 0, the leaf is itself a copy, which has the number <c>ordinal</c> in this period.
    /// Columns: period, number, whether the copy has a value, and whether a later row of its key superseded it. Parameters: epoch, period,
    /// ordinal.
    /// </summary>
    public required Sql CopiesOf { get; init; }

    /// <summary>
    /// Returns the source of a copy, or no row if the copy has no source. Columns: source_epoch, source_ordinal, and whether the source has
    /// a value. Parameters: period, number.
    /// </summary>
    public required Sql SourceOf { get; init; }

    /// <summary>
    /// Returns at most <c>max</c> erasures in order, beginning at (<c>epoch</c>, <c>number</c>) and ending with the erasures that the epoch
    /// <c>last</c> decided. Columns: decided_in, number, epoch, period, ordinal, request_id, item; structure, label and commitment of the
    /// leaf or copy, or nulls if it does not exist. Parameters: epoch, number, last, max.
    /// </summary>
    public required Sql Erasures { get; init; }

    /// <summary>
    /// Returns the values that a request erased in an epoch, in order, if the epoch is published. The rows are the erased leaves, and the
    /// erased copies of periods that had begun. Columns: structure, period, version, epoch; a copy's epoch is the first epoch of its
    /// period. Omits copies that a later row superseded, because they are not versions. Parameters: epoch, id.
    /// </summary>
    public required Sql Receipt { get; init; }

    /// <summary>Returns a leaf. Columns: structure, label, and whether the leaf has a value. Parameters: epoch, ordinal.</summary>
    public required Sql LeafAt { get; init; }

    /// <summary>Returns the value of a leaf, or no row if the leaf has no value. Parameters: epoch, ordinal.</summary>
    public required Sql ValueAt { get; init; }

    /// <summary>Returns the sizes of the epochs from <c>first</c> to <c>last</c> in order, at most <c>max</c> of them. Columns: epoch,
    /// leaves, value_bytes. Parameters: first, last, max.</summary>
    public required Sql EpochSizes { get; init; }

    /// <summary>
    /// Returns the leaves of the epochs from <c>first</c> to <c>last</c> in order. Columns: epoch * 2^28 + ordinal, structure, version,
    /// label, commitment, tag. Parameters: first, last.
    /// </summary>
    public required Sql LeavesOfTrees { get; init; }

    /// <summary>
    /// Returns the columns of <see cref="LeavesOfTrees"/> and then the columns <c>opening</c> and <c>value</c>. These two columns have
    /// contents only for leaves of the structure <c>devices</c> that are not erased; for all other leaves they are null. Parameters: first,
    /// last.
    /// </summary>
    public required Sql LeavesWithLists { get; init; }

    /// <summary>Returns the columns of <see cref="LeavesOfTrees"/> and then the columns <c>opening</c> and <c>value</c>, which are null for
    /// erased leaves. Parameters: first, last.</summary>
    public required Sql LeavesWithValues { get; init; }

    /// <summary>Returns the columns of <see cref="LeavesWithValues"/> and then the columns <c>item</c>, <c>request_id</c> and <c>key</c>.
    /// The key is null for erased leaves. Parameters: first, last.</summary>
    public required Sql WholeLeaves { get; init; }

    /// <summary>Returns the columns of <see cref="LeavesOfTrees"/>, but only the leaves of the structures <c>usernames</c> and
    /// <c>decommissioned</c>. Parameters: first, last.</summary>
    public required Sql NamesOfTrees { get; init; }

    /// <summary>
    /// Returns the columns of <see cref="LeavesWithValues"/>, but only the leaves of the structures <c>usernames</c> and
    /// <c>decommissioned</c>. Parameters: first, last.
    /// </summary>
    public required Sql NamesWithValues { get; init; }

    /// <summary>
    /// Returns at most <c>max</c> epochs from the epoch <c>first</c> on. Columns: epoch, record, record_hash, checkpoint, leaves,
    /// value_bytes. Parameters: first, max.
    /// </summary>
    public required Sql StoredEpochs { get; init; }

    /// <summary>
    /// Returns at most <c>max</c> leaves from (<c>epoch</c>, <c>ordinal</c>) on. Ends with the leaf whose value makes the sum of the
    /// values' bytes exceed the parameter <c>bytes</c>. An engine that produces rows only when they are read leaves this limit to the
    /// reader (<see cref="StoredPages"/>). Columns: epoch, ordinal, structure, period, version, label, commitment, tag, request_id, item;
    /// opening, key, value, or nulls. The statement may return one more column, which readers ignore. Parameters: epoch, ordinal, max,
    /// bytes.
    /// </summary>
    public required Sql StoredLeaves { get; init; }

    /// <summary>Returns the number of stored values of leaves.</summary>
    public required Sql CountValues { get; init; }

    /// <summary>Changes the state of a period from <c>current</c> to <c>ended</c>. Parameters: period.</summary>
    public required Sql EndPeriod { get; init; }

    /// <summary>
    /// Makes a period the current one and sets its first epoch, if its state is <c>next</c> and it has exactly this number of copies.
    /// Parameters: period, first, copies.
    /// </summary>
    public required Sql StartPeriod { get; init; }

    /// <summary>Deletes the secrets of a period that has ended, and sets its state to <c>destroying</c>. Parameters: period.</summary>
    public required Sql DestroySecrets { get; init; }

    /// <summary>Replaces a period's wrapped secrets by those in the parameter <c>after</c>, if they still equal the parameter
    /// <c>before</c>. Parameters: period, before, after.</summary>
    public required Sql RewrapSecrets { get; init; }

    /// <summary>Deletes at most <c>max</c> values of a period's copies. Parameters: period, max.</summary>
    public required Sql DestroyCopies { get; init; }

    /// <summary>
    /// Changes a period's state from <c>destroying</c> to <c>destroyed</c>, if the period has neither secrets nor values of copies.
    /// Parameters: period.
    /// </summary>
    public required Sql EndDestroying { get; init; }

    /// <summary>Returns a period's state, and the number that its next copy gets. Parameters: period.</summary>
    public required Sql NextCopy { get; init; }

    /// <summary>
    /// Returns a row if the copy is stored with this label and commitment. Parameters: period, number, label, commitment.
    /// </summary>
    public required Sql HasCopy { get; init; }

    /// <summary>
    /// Returns two epochs that concern an ended period: its first epoch whose leaves of the structures <c>devices</c> and <c>keys</c> may
    /// still have values, and the first epoch of the next period. Parameters: period.
    /// </summary>
    public required Sql LeftToDestroy { get; init; }

    /// <summary>Deletes the values of the leaves of the structures <c>devices</c> and <c>keys</c> that the epochs from <c>first</c> to
    /// <c>last</c> inserted. Parameters: first, last.</summary>
    public required Sql DestroyLeaves { get; init; }

    /// <summary>Records that those epochs of the period that come before a given epoch have no values of the structures <c>devices</c> and
    /// <c>keys</c>. The parameter <c>before</c> is that epoch. Parameters: period, before.</summary>
    public required Sql SetDestroyedBefore { get; init; }

    /// <summary>
    /// Returns the last copy with a label. Columns: number, version, and whether the copy has its value. Parameters: period, structure,
    /// label.
    /// </summary>
    public required Sql FindCopy { get; init; }

    /// <summary>Returns the value of a copy. Parameters: period, number.</summary>
    public required Sql CopyValueAt { get; init; }

    /// <summary>
    /// Counts the copies, from the copy <c>number</c> on, that have a value and whose source has its value too. Parameters: period, number.
    /// </summary>
    public required Sql CountSources { get; init; }

    /// <summary>
    /// Returns the numbers of the copies that the copies from <c>number</c> to <c>last</c> superseded. Parameters: period, number, last.
    /// </summary>
    public required Sql Superseded { get; init; }

    /// <summary>Deletes the values of superseded copies. These are the earlier copies of a key that has a copy whose number is at
    /// least the given number. Parameters: period, number.</summary>
    public required Sql DropSuperseded { get; init; }

    /// <summary>
    /// Returns at most <c>max</c> copies of a period in order, from the copy <c>number</c> on. Columns: number, structure, version,
    /// source_epoch, source_ordinal, label, commitment, tag. Parameters: period, number, max.
    /// </summary>
    public required Sql CopiesOfTrees { get; init; }

    /// <summary>
    /// Returns the columns of <see cref="CopiesOfTrees"/> and then the columns <c>opening</c> and <c>value</c>. These two columns have
    /// contents only for copies of the structure <c>devices</c> that have values; for all other copies they are null. Limits the sum of
    /// bytes as <see cref="StoredLeaves"/> does. Parameters: period, number, max, bytes.
    /// </summary>
    public required Sql CopiesWithLists { get; init; }

    /// <summary>
    /// Returns the values of the copies from <c>number</c> to <c>last</c>, in order. Columns: number, opening, value, key. Limits the sum
    /// of bytes as <see cref="StoredLeaves"/> does. It is a statement of its own because it passes through an index once, whereas a join
    /// with the copies would look up each value. Parameters: period, number, last, bytes.
    /// </summary>
    public required Sql CopyValues { get; init; }

    /// <summary>
    /// Returns at most <c>max</c> copies from (<c>period</c>, <c>number</c>) on, including copies of later periods. Limits the sum of bytes
    /// as <see cref="StoredLeaves"/> does. Columns: period, number, structure, version, source_epoch, source_ordinal, label, commitment,
    /// tag; opening, key, value, or nulls. Parameters: period, number, max, bytes.
    /// </summary>
    public required Sql StoredCopies { get; init; }

    /// <summary>Returns the number of stored values of copies.</summary>
    public required Sql CountCopyValues { get; init; }

    /// <summary>
    /// Records the operator's request that a period begin; changes no row if the request is already recorded. Parameters: period.
    /// </summary>
    public required Sql RequestSwitch { get; init; }

    /// <summary>Returns the period after the current one if the operator has requested that it begin; otherwise no row.</summary>
    public required Sql RequestedSwitch { get; init; }

    /// <summary>Returns at most <c>max</c> requests whose sequence numbers are above the parameter <c>after</c>. Columns: seq, request_id,
    /// body_hash. Parameters: after, max.</summary>
    public required Sql StoredRequests { get; init; }

    /// <summary>
    /// Returns the pending rows in a range of sequence numbers, which begins after the parameter <c>after</c> and ends with the parameter
    /// <c>through</c>. Columns: seq, item, structure, key, value, expected_period, expected_version, and whether the request id and hash in
    /// the row are those of its request; the last column is null if the engine's pending rows have no request id. Parameters: after,
    /// through.
    /// </summary>
    public required Sql StoredPending { get; init; }

    /// <summary>
    /// Returns the outcomes in a range of sequence numbers, which begins after the parameter <c>after</c> and ends with the parameter
    /// <c>through</c>. Columns: seq, item, epoch, ordinal, refusal, refused_item, current_period, current_version; request_id and item of
    /// the outcome's leaf, or nulls. Parameters: after, through.
    /// </summary>
    public required Sql StoredOutcomes { get; init; }

    /// <summary>Returns whether anything was ever written to the database after its migrations.</summary>
    public required Sql HasRows { get; init; }

    /// <summary>
    /// Makes the sequence numbers of new requests continue after the number of the last imported request; null if the engine needs no
    /// statement for this. Parameters: last.
    /// </summary>
    public Sql? ContinueNumbers { get; init; }

    /// <summary>Writes the imported head row, without a holder of the lease. Parameters: epoch, hash, published, fence.</summary>
    public required Sql SetHead { get; init; }
}
