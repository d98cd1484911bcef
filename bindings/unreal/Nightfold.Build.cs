// Labelled sample, not run in an editor: the library as a third-party module.
using System.IO;
using UnrealBuildTool;

public class Nightfold : ModuleRules
{
    public Nightfold(ReadOnlyTargetRules Target) : base(Target)
    {
        Type = ModuleType.External;
        bEnableExceptions = true;
        PublicIncludePaths.Add(Path.Combine(ModuleDirectory, "include"));
        string library = Target.Platform == UnrealTargetPlatform.Win64 ? "nightfold_c.dll" : "libnightfold_c.so";
        PublicAdditionalLibraries.Add(Path.Combine(ModuleDirectory, "lib", library));
        RuntimeDependencies.Add(Path.Combine("$(BinaryOutputDir)", library), Path.Combine(ModuleDirectory, "lib", library));
    }
}
