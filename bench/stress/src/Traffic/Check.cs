using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>Verifies an answer against the head that was kept when it was requested, and changes nothing.</summary>
internal delegate (Reason Reason, VerifiedHead? Head, T? Found) Check<T>(VerifierContext context, KeptHead? kept, byte[] answer);
