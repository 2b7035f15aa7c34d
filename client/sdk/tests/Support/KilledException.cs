namespace Optiks.Client.Tests;

/// <summary>Ends a process that a test kills.</summary>
internal sealed class KilledException : Exception;
