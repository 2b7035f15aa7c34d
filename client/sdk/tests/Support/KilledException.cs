namespace Optiks.Client.Tests;

/// <summary>Simulates the end of a process that a test kills.</summary>
internal sealed class KilledException : Exception;
