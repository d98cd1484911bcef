// Labelled sample, not run in an editor: a town that lives as long as its world.
#pragma once

#include "CoreMinimal.h"
#include "Misc/Paths.h"
#include "Subsystems/WorldSubsystem.h"
#include "nightfold.hpp"

#include "NightfoldSubsystem.generated.h"

UCLASS()
class UNightfoldSubsystem : public UTickableWorldSubsystem
{
    GENERATED_BODY()

public:
    virtual void OnWorldBeginPlay(UWorld& World) override
    {
        const FString File = FPaths::ProjectSavedDir() / TEXT("town.db");
        const FString Models = FPaths::ProjectContentDir() / TEXT("Nightfold");
        try
        {
            Town.Emplace("{\"store\":{\"file\":" + nightfold::quoted(TCHAR_TO_UTF8(*File)) + "},\"models\":"
                + nightfold::quoted(TCHAR_TO_UTF8(*Models)) + "}");
        }
        catch (const nightfold::Error& Error)
        {
            UE_LOG(LogTemp, Error, TEXT("Nightfold: %s"), UTF8_TO_TCHAR(Error.what()));
        }
    }

    virtual void Tick(float DeltaTime) override
    {
        if (!Town) return;
        GameSeconds += DeltaTime * 60.0;
        Town->tick(static_cast<int64>(GameSeconds));
        while (const auto Event = Town->next_event())
        {
            OnEvent.Broadcast(UTF8_TO_TCHAR(Event->c_str()));
        }
    }

    virtual TStatId GetStatId() const override
    {
        RETURN_QUICK_DECLARE_CYCLE_STAT(UNightfoldSubsystem, STATGROUP_Tickables);
    }

    DECLARE_MULTICAST_DELEGATE_OneParam(FNightfoldEvent, const FString&);
    /// Events as JSON.
    FNightfoldEvent OnEvent;

    TOptional<nightfold::Town> Town;

private:
    double GameSeconds = 79200.0;
};
