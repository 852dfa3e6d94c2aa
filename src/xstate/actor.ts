/** The types of xstate for the rooms that handle machines of users: this room alone names the library. */
export type { AnyEventObject as Event, AnyMachineSnapshot as Snapshot, AnyStateMachine, InspectionEvent } from 'xstate';
