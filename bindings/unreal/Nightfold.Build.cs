// Labelled sample, not run in an editor: the library as a third-party module.
using System.IO;
using UnrealBuildTool;

public class Nightfold : ModuleRules
{
    public Nightfold(ReadOnlyTargetRules Target) : base(Target)
    {
        Type = ModuleType.External;
        PublicIncludePaths.Add(Path.Combine(ModuleDirectory, "include"));
        bool windows = Target.Platform == UnrealTargetPlatform.Win64;
        string library = windows ? "nightfold_c.dll" : "libnightfold_c.so";
        PublicAdditionalLibraries.Add(Path.Combine(ModuleDirectory, "lib", windows ? "nightfold_c.dll.lib" : library));
        if (windows) PublicDelayLoadDLLs.Add(library);
        RuntimeDependencies.Add(Path.Combine("$(BinaryOutputDir)", library), Path.Combine(ModuleDirectory, "lib", library));
    }
}
