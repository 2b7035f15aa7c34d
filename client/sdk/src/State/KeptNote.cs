namespace Optiks.Client;

/// <summary>
/// An owner's note about a change that was made with this state; only the owner has the note (docs/spec/user-monitor.md section 8).
/// </summary>
/// <param name="RequestId">Request id of the change.</param>
/// <param name="Opening">Random octets that hide the note in its commitment, drawn for this note alone.</param>
/// <param name="Note">Octets of the note, which encode an OwnerNote.</param>
/// <param name="ValueSha256">SHA-256 of the value that commits to the note, in hexadecimal.</param>
public sealed record KeptNote(Guid RequestId, byte[] Opening, byte[] Note, string ValueSha256);
