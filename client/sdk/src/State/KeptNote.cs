namespace Optiks.Client;

/// <summary>A note about a change that was made here, which only its owner has (docs/spec/user-monitor.md section 8).</summary>
/// <param name="RequestId">Request id of the change.</param>
/// <param name="Opening">Octets that hide the note, drawn for it alone.</param>
/// <param name="Note">Octets of the note: an OwnerNote.</param>
/// <param name="ValueSha256">SHA-256 of the value that commits to it, in hexadecimal.</param>
public sealed record KeptNote(Guid RequestId, byte[] Opening, byte[] Note, string ValueSha256);
