/** The groups of the API document: what an operation belongs to, as people look for it. */

/** The tags of operations under the heading of each area, with a sentence on each. A tag has at most 15 operations. */
const AREAS = {
  Notes: {
    Notes: 'Write, read, change and delete notes in Markdown, also those of a day and many at once.',
    'Edits and revisions': 'Change a part of a note, see its outline, and go back to what it was.',
    Links: 'Links between notes, in both directions, and those that lead nowhere.',
    'Search notes': 'Find notes by words, fields and properties, and those like another one.',
    'Folders and tags': 'What there is of them, and new names for them.',
    Attachments: 'Pictures and other files of notes.',
    'Notes in and out': 'Bring notes from Obsidian, Evernote and Keep, and take them with you.',
  },
  Tasks: {
    Tasks: 'Write, list, change, move and delete tasks, in words, one at a time or many at once.',
    'Completing and repeating': 'Complete, skip and reopen tasks, and see the dates of those that repeat.',
    'Agenda and reminders': 'What is due on which day, when to be reminded, and how much was done.',
    'Projects and sections': 'What tasks are put in.',
    'Labels and filters': 'Names for tasks across projects, and filters to use again.',
    'Calendar feeds': 'Addresses that calendar programs subscribe to.',
    'Tasks in and out': 'Bring tasks from calendars, Todoist and todo.txt, and take them with you.',
  },
  Flashcards: {
    Study: 'What to study now, the answers, and how to take one back.',
    'Facts and cards': 'What is to be learnt, the cards that ask for it, and their types.',
    Decks: 'What facts are put in.',
    Statistics: 'What was studied, how much is remembered and what is to come.',
    Scheduling: 'How often cards come: settings, weights from your own answers, and other due days.',
    'Flashcards in and out': 'Bring decks from Anki and texts, with their media, and take them with you.',
  },
  'Chat and agents': {
    Chat: 'Questions about what is stored, and actions on it.',
    'Clients of Ollama': 'The paths that programs written for Ollama call.',
    'Clients of OpenAI': 'The paths that programs written for the API of OpenAI call.',
    'Agents (MCP)': 'Tools for agents, by the Model Context Protocol.',
  },
  Everything: {
    Search: 'Notes, tasks and flashcards in one list.',
    Changes: 'What changed since you last looked, as a list or as it happens.',
    Workspace: 'The settings of a workspace, and its end.',
    Trash: 'What was deleted and can be restored.',
    'Import and export': 'All of a workspace as one file, and how imports go.',
  },
  Server: {
    Server: 'What the server is and how it does, and your usage.',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

export const TAGS = Object.values(AREAS).flatMap((tags) =>
  Object.entries(tags).map(([name, description]) => ({ name, description })),
)

export const TAG_GROUPS = Object.entries(AREAS).map(([name, tags]) => ({ name, tags: Object.keys(tags) }))
