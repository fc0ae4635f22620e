import { wipeTables } from '../db/clearing'

/** Erases notes with all that hangs on them. */
export const wipeNotes = wipeTables(['notes'])
