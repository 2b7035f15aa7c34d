namespace Optiks.Storage.Driver;

/// <summary>
/// An engine's SQL for the rules of this project. Of each one the parameters are listed in their order, with their names, and the columns that it returns. An engine may do without the last
/// parameters.
/// </summary>
public sealed class Statements
{
    /// <summary>Head () returns the head row: epoch, record_hash, published_epoch, fence, holder, lease_end.</summary>
    public required Sql Head { get; init; }

    /// <summary>Clock () returns the database's time of this moment, not of the transaction's beginning.</summary>
    public required Sql Clock { get; init; }

    /// <summary>Periods () returns all periods in order: period, state, first_epoch, copies, wrapped_secrets, configuration.</summary>
    public required Sql Periods { get; init; }

    /// <summary>Epochs (first, last, max) returns at most max epochs in order: epoch, record, record_hash, checkpoint.</summary>
    public required Sql Epochs { get; init; }

    /// <summary>
    /// AcquireLease (holder, duration, session) takes the lease if nobody holds it, it has ended, or the holder has it already, and raises the fence. Returns fence and lease_end; nothing when another
    /// holder's lease runs.
    /// </summary>
    public required Sql AcquireLease { get; init; }

    /// <summary>RenewLease (duration, fence, holder, session) moves the end of the lease.</summary>
    public required Sql RenewLease { get; init; }

    /// <summary>ReleaseLease (fence, holder) ends the lease.</summary>
    public required Sql ReleaseLease { get; init; }

    /// <summary>HoldLease (fence, holder) keeps the lease from being taken over before the transaction's end; no row: it is lost.</summary>
    public required Sql HoldLease { get; init; }

    /// <summary>LockLease (fence, holder) is <see cref="HoldLease"/> beside which no other transaction has it.</summary>
    public required Sql LockLease { get; init; }

    /// <summary>LockHead () locks the head row until the transaction's end, whoever holds the lease: nobody's epoch is under way then, and no period begins.</summary>
    public required Sql LockHead { get; init; }

    /// <summary>CountPending (atMost) returns the number of pending rows, up to atMost.</summary>
    public required Sql CountPending { get; init; }

    /// <summary>FollowsHead (epoch, previous, fence, holder) returns a row if an epoch may follow the head row: the epoch before it is the last, published, and of this hash, and the lease is held.</summary>
    public required Sql FollowsHead { get; init; }

    /// <summary>MoveHead (epoch, previous, fence, holder, hash) makes the epoch the last on the condition of <see cref="FollowsHead"/>.</summary>
    public required Sql MoveHead { get; init; }

    /// <summary>InsertEpoch (epoch, leaves, valueBytes, hash, record) adds an epoch's row.</summary>
    public required Sql InsertEpoch { get; init; }

    /// <summary>MoveHeadToGenesis (hash, fence, holder) makes epoch 0 the last where there is no epoch.</summary>
    public required Sql MoveHeadToGenesis { get; init; }

    /// <summary>InsertPeriod (period, state, first, copies, secrets, configuration) adds a period if there is none of this number.</summary>
    public required Sql InsertPeriod { get; init; }

    /// <summary>HasEpoch (epoch, hash) returns a row if the epoch is stored with a record of this hash.</summary>
    public required Sql HasEpoch { get; init; }

    /// <summary>StoreCheckpoint (checkpoint, epoch, hash, fence, holder) stores the note of an epoch whose record has this hash. No takeover comes before the transaction's end.</summary>
    public required Sql StoreCheckpoint { get; init; }

    /// <summary>Publish (epoch, fence, holder) makes the last epoch, if it has a checkpoint, the published one, and tells whoever listens.</summary>
    public required Sql Publish { get; init; }

    /// <summary>PublishedRequests (epoch) returns seq and body_hash of the request of each leaf of an epoch, in the order of the leaves; nulls where there is none.</summary>
    public required Sql PublishedRequests { get; init; }

    /// <summary>RefusedItems (epoch) returns what an epoch refused, in order: seq, item, refusal, refused_item, current_period, current_version, request_id, body_hash.</summary>
    public required Sql RefusedItems { get; init; }

    /// <summary>ForgetOutcomes (bound, max) deletes the outcomes of the requests that <see cref="ForgetRequests"/> deletes next; null: that one deletes them too.</summary>
    public Sql? ForgetOutcomes { get; init; }

    /// <summary>ForgetRequests (bound, max) deletes the max oldest requests with ids below the bound, but none that is pending or of an epoch that is not published.</summary>
    public required Sql ForgetRequests { get; init; }

    /// <summary>
    /// Status (id) returns a row for each outcome of a request, in the order of its items, or one without: published_epoch of the head row, whether the request is pending, epoch, refusal, refused_item,
    /// current_period, current_version, ordinal of the outcome, structure, period, version of its leaf, key of its value.
    /// </summary>
    public required Sql Status { get; init; }

    /// <summary>EraseValues (epoch) deletes the values of the leaves whose erasures this epoch decided.</summary>
    public required Sql EraseValues { get; init; }

    /// <summary>EraseCopies (epoch) deletes the values of the copies whose erasures this epoch decided.</summary>
    public required Sql EraseCopies { get; init; }

    /// <summary>HasCopies () returns whether there are copies.</summary>
    public required Sql HasCopies { get; init; }

    /// <summary>CopiesOf (epoch, period, ordinal) returns the copies of a leaf, or with epoch 0 of the copy of this number of the period: period, number, whether it has a value, and whether a later row of its key took its place.</summary>
    public required Sql CopiesOf { get; init; }

    /// <summary>SourceOf (period, number) returns what a copy was made of, if anything: source_epoch, source_ordinal, and whether it has a value.</summary>
    public required Sql SourceOf { get; init; }

    /// <summary>
    /// Erasures (epoch, number, last, max) returns at most max erasures from (epoch, number) on that epochs up to last decided, in order: decided_in, number, epoch, period, ordinal, request_id, item; structure, label
    /// and commitment of the leaf or copy, or nulls.
    /// </summary>
    public required Sql Erasures { get; init; }

    /// <summary>Receipt (epoch, id) returns what the request of this id erased in this epoch, if it is published, in order: structure, period, version, epoch of each leaf, and of each copy of a period
    /// that had begun, whose epoch is the period's first. A row whose place a later one took was no version.</summary>
    public required Sql Receipt { get; init; }

    /// <summary>LeafAt (epoch, ordinal) returns a leaf: structure, label, and whether it has a value.</summary>
    public required Sql LeafAt { get; init; }

    /// <summary>ValueAt (epoch, ordinal) returns the value of a leaf, if it has one.</summary>
    public required Sql ValueAt { get; init; }

    /// <summary>EpochSizes (first, last, max) returns at most max epochs in order: epoch, leaves, value_bytes.</summary>
    public required Sql EpochSizes { get; init; }

    /// <summary>LeavesOfTrees (first, last) returns the leaves of epochs in order: epoch * 2^28 + ordinal, structure, version, label, commitment, tag.</summary>
    public required Sql LeavesOfTrees { get; init; }

    /// <summary>LeavesWithLists (first, last) returns <see cref="LeavesOfTrees"/> with opening and value, or nulls, where the structure is devices, and nulls elsewhere.</summary>
    public required Sql LeavesWithLists { get; init; }

    /// <summary>LeavesWithValues (first, last) returns <see cref="LeavesOfTrees"/> with opening and value, or nulls.</summary>
    public required Sql LeavesWithValues { get; init; }

    /// <summary>WholeLeaves (first, last) returns <see cref="LeavesWithValues"/> with item, request_id, and key or null.</summary>
    public required Sql WholeLeaves { get; init; }

    /// <summary>NamesOfTrees (first, last) returns <see cref="LeavesOfTrees"/> for the leaves of usernames and decommissioned alone.</summary>
    public required Sql NamesOfTrees { get; init; }

    /// <summary>NamesWithValues (first, last) returns <see cref="LeavesWithValues"/> for the leaves of usernames and decommissioned alone.</summary>
    public required Sql NamesWithValues { get; init; }

    /// <summary>StoredEpochs (first, max) returns epochs from first on: epoch, record, record_hash, checkpoint, leaves, value_bytes.</summary>
    public required Sql StoredEpochs { get; init; }

    /// <summary>
    /// StoredLeaves (epoch, ordinal, max, bytes) returns at most max leaves from (epoch, ordinal) on, and none after those whose values come to more than so many octets: epoch, ordinal, structure, period, version,
    /// label, commitment, tag, request_id, item; opening, key, value, or nulls. An engine whose rows are made when they are read leaves the octets to the reader (<see cref="StoredPages"/>). It may return a
    /// further column.
    /// </summary>
    public required Sql StoredLeaves { get; init; }

    /// <summary>CountValues () returns the number of values.</summary>
    public required Sql CountValues { get; init; }

    /// <summary>EndPeriod (period) ends the period if it is current.</summary>
    public required Sql EndPeriod { get; init; }

    /// <summary>StartPeriod (period, first, copies) makes the period current that is next, with this first epoch, if it has exactly so many copies.</summary>
    public required Sql StartPeriod { get; init; }

    /// <summary>DestroySecrets (period) empties the secrets of a period that has ended: it is destroying.</summary>
    public required Sql DestroySecrets { get; init; }

    /// <summary>RewrapSecrets (period, before, after) replaces a period's wrapped secrets if they are these octets still.</summary>
    public required Sql RewrapSecrets { get; init; }

    /// <summary>DestroyCopies (period, max) deletes at most max values of a period's copies.</summary>
    public required Sql DestroyCopies { get; init; }

    /// <summary>EndDestroying (period) makes a period destroyed that is destroying and has neither secrets nor values of copies.</summary>
    public required Sql EndDestroying { get; init; }

    /// <summary>NextCopy (period) returns a period's state and the number after that of its last copy.</summary>
    public required Sql NextCopy { get; init; }

    /// <summary>HasCopy (period, number, label, commitment) returns a row if the copy is stored with this label and commitment.</summary>
    public required Sql HasCopy { get; init; }

    /// <summary>LeftToDestroy (period) returns the first epoch of an ended period whose leaves may have values of devices and keys, and the first epoch of the period after it.</summary>
    public required Sql LeftToDestroy { get; init; }

    /// <summary>DestroyLeaves (first, last) deletes the values of leaves of devices and keys of epochs first..last.</summary>
    public required Sql DestroyLeaves { get; init; }

    /// <summary>SetDestroyedBefore (period, before) notes that the period's epochs before this one have no values of devices and keys.</summary>
    public required Sql SetDestroyedBefore { get; init; }

    /// <summary>FindCopy (period, structure, label) returns the last copy with this label: number, version, and whether it has its value.</summary>
    public required Sql FindCopy { get; init; }

    /// <summary>CopyValueAt (period, number) returns the value of a copy.</summary>
    public required Sql CopyValueAt { get; init; }

    /// <summary>CountSources (period, number) returns how many copies from this number on have a value whose source has one too.</summary>
    public required Sql CountSources { get; init; }

    /// <summary>Superseded (period, number, last) returns the numbers of the copies whose place those of these numbers took.</summary>
    public required Sql Superseded { get; init; }

    /// <summary>DropSuperseded (period, number) deletes the values of the copies whose place those from this number on took.</summary>
    public required Sql DropSuperseded { get; init; }

    /// <summary>CopiesOfTrees (period, number, max) returns copies of a period in order: number, structure, version, source_epoch, source_ordinal, label, commitment, tag.</summary>
    public required Sql CopiesOfTrees { get; init; }

    /// <summary>
    /// CopiesWithLists (period, number, max, bytes) returns <see cref="CopiesOfTrees"/> with opening and value, or nulls, where the structure is devices, and nulls elsewhere; as many as <see cref="StoredLeaves"/> would.
    /// </summary>
    public required Sql CopiesWithLists { get; init; }

    /// <summary>
    /// CopyValues (period, number, last, bytes) returns the values of copies from a number on and through the last, in order, as many as <see cref="StoredLeaves"/> would: number, opening, value, key. One run through an index,
    /// where a join would look for each value.
    /// </summary>
    public required Sql CopyValues { get; init; }

    /// <summary>
    /// StoredCopies (period, number, max, bytes) returns copies from (period, number) on, of later periods too, as many as <see cref="StoredLeaves"/> would: period, number, structure, version, source_epoch, source_ordinal,
    /// label, commitment, tag; opening, key, value, or nulls.
    /// </summary>
    public required Sql StoredCopies { get; init; }

    /// <summary>CountCopyValues () returns the number of values of copies.</summary>
    public required Sql CountCopyValues { get; init; }

    /// <summary>RequestSwitch (period) notes that the operator asks for this period's beginning; no row where it is noted already.</summary>
    public required Sql RequestSwitch { get; init; }

    /// <summary>RequestedSwitch () returns the period after the current one, if the operator asks for its beginning.</summary>
    public required Sql RequestedSwitch { get; init; }

    /// <summary>StoredRequests (after, max) returns requests: seq, request_id, body_hash.</summary>
    public required Sql StoredRequests { get; init; }

    /// <summary>StoredPending (after, through) returns pending rows: seq, item, structure, key, value, expected_period, expected_version, and whether the row names its own request; null: it names none.</summary>
    public required Sql StoredPending { get; init; }

    /// <summary>StoredOutcomes (after, through) returns outcomes: seq, item, epoch, ordinal, refusal, refused_item, current_period, current_version; request_id and item of the leaf, or nulls.</summary>
    public required Sql StoredOutcomes { get; init; }

    /// <summary>HasRows () returns whether anything was ever written.</summary>
    public required Sql HasRows { get; init; }

    /// <summary>ContinueNumbers (last) makes requests' numbers go on after the last imported one; null: they do so by themselves.</summary>
    public Sql? ContinueNumbers { get; init; }

    /// <summary>SetHead (epoch, hash, published, fence) sets an imported head; nobody holds the lease.</summary>
    public required Sql SetHead { get; init; }
}
