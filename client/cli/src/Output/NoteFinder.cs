using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>Returns the note to which a version of a key or device commits; null if the client's state does not have the note.</summary>
internal delegate OwnerNote? NoteFinder(ReadOnlyMemory<byte> key, KeyVersion version);
