namespace Optiks;

/// <summary>PeriodSwitches says whether a log may be led into its next period. Tests alone may: query-services do not serve periods that ended yet, without which no owner can make the hand-over (docs/spec/periods.md section 11).</summary>
public static class PeriodSwitches
{
    /// <summary>Variable of the environment that tests set to 1.</summary>
    public const string Variable = "OPTIKS_TRY_PERIODS";

    /// <summary>NotYet says so to whoever asks for one.</summary>
    public const string NotYet = $"No log that anyone uses can go over to its next period yet: query-services do not serve periods that ended. Tests set {Variable}=1.";

    /// <summary>AreTried: <see cref="Variable"/> is set.</summary>
    public static bool AreTried => Environment.GetEnvironmentVariable(Variable) == "1";
}
