using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>NoteFinder gives the note that a version of a key or device commits to, if it is kept here.</summary>
internal delegate OwnerNote? NoteFinder(ReadOnlyMemory<byte> key, KeyVersion version);
