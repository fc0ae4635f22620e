import { afterAll, describe, expect, test } from 'bun:test'
import type { ChatAnswer, ChatRequest } from '../../src/chat/schema'
import { type Caller, makeCallers, type NoteDraft } from './support'

/**
 * Whole talks in four languages, over HTTP: each message comes with all that was said before, as a client sends it. After
 * each turn all that is stored is compared with what was before it, so that nothing can change unexpected.
 */

const { world, caller } = await makeCallers()
afterAll(world.close)

interface Turn {
  /** `{code}` is the code of the action that waits. */
  readonly say: string
  /** The beginning of the answer. */
  readonly answer?: string
  /** The quotes of its citations; whatever the answer quotes also makes it grounded. */
  readonly quotes?: readonly string[]
  /** What is stored that was not before (+), and no longer is (-). */
  readonly stored?: readonly string[]
}

/** Answers that leave a person without a next step. */
const DEAD_END =
  /^(?:I do not know|I found no(?!te that surely)|I cannot tell|I could not|Nothing waits|There is nothing|This workspace)/

/** All that is stored, a line for each thing. */
async function listStored(me: Caller): Promise<string[]> {
  const items = async (path: string) => (await world.call(me, 'GET', `${path}?limit=200`)).body.items
  const done = '/api/tasks?limit=200&filter=open or in_progress or done'
  const tasks = (await world.call(me, 'GET', encodeURI(done))).body.items
  return [
    ...(await items('/api/notes')).map(
      ({ title, tags }: { title: string; tags: string[] }) =>
        `note ${[title, ...tags.map((tag) => `#${tag}`)].join(' ')}`,
    ),
    ...tasks.map(
      ({ title, status, due }: { title: string; status: string; due: { date: string; time: string | null } | null }) =>
        ['task', title, status, due?.date, due?.time].filter(Boolean).join(' '),
    ),
    ...(await items('/api/flashcards/facts')).map(({ front }: { front: string }) => `card ${front}`),
  ]
}

/** Holds a talk, and checks each turn. Returns the answers. */
async function hold(me: Caller, turns: readonly Turn[]): Promise<ChatAnswer[]> {
  const messages: ChatRequest['messages'] = []
  const answers: ChatAnswer[] = []
  let code = ''
  let before = await listStored(me)
  for (const { say, answer: begins = '', quotes = [], stored = [] } of turns) {
    messages.push({ role: 'user', content: say.replace('{code}', code) })
    const answer = await me.ask({ messages: [...messages] })
    messages.push(answer.message)
    answers.push(answer)
    code = answer.actions[0]?.confirm?.code ?? code
    const after = await listStored(me)
    const changes = [
      ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
      ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
    ]
    before = after
    const content = answer.message.content.replaceAll(code || '{code}', '{code}')
    expect([say, content.slice(0, begins.length)]).toEqual([say, begins])
    expect([say, DEAD_END.exec(content)?.[0]]).toEqual([say, undefined])
    expect([say, answer.citations.map(({ quote }) => quote)]).toEqual([say, [...quotes]])
    expect([say, answer.grounded]).toEqual([say, quotes.length > 0])
    expect([say, changes]).toEqual([say, [...stored]])
  }
  return answers
}

const [OPEN_TUESDAY, DONE_TUESDAY] = ['open 2026-03-03 09:00', 'done 2026-03-03 09:00']
const OPEN_FRIDAY = 'open 2026-03-06 09:00'
/** A task that was in one state and is in another. */
const became = (title: string, ...states: [before: string, after: string]) =>
  states.map((state, i) => `${'-+'[i]} task ${title} ${state}`)

const ENGLISH: readonly NoteDraft[] = [
  {
    title: 'Boiler',
    body: 'The boiler is serviced by Mr. Haller. Mr. Haller can be reached at 0664 123. Its warranty ends in 2027.\n\nQ: What is the pressure?\nA: 1.5 bar\n',
  },
  { title: 'Roof', body: 'The roof warranty ends in 2031. The roof was made by Mr. Berger.' },
  { title: 'Summer tyres', body: 'The summer tyres need 2.2 bar. They lie at the garage of Mr. Novak.' },
  { title: 'Winter tyres', body: 'The winter tyres need 2.4 bar. They lie in our cellar.' },
]

const FACTS_TO_TASKS: readonly Turn[] = [
  { say: 'Who services the boiler?', quotes: ['The boiler is serviced by Mr. Haller.'] },
  { say: 'What is his number?', quotes: ['Mr. Haller can be reached at 0664 123.'] },
  { say: 'When does its warranty end?', quotes: ['Its warranty ends in 2027.'] },
  { say: 'No, I meant the roof', quotes: ['The roof warranty ends in 2031.'] },
  {
    say: 'Save that as a note called "Roof warranty"',
    answer: 'Created the note "Roof warranty".',
    stored: ['+ note Roof warranty'],
  },
  {
    say: 'Add a task: call Mr. Haller tomorrow at 9am',
    answer: 'Created the task "call Mr. Haller", due 2026-03-03 at 09:00.',
    stored: ['+ task call Mr. Haller open 2026-03-03 09:00'],
  },
  {
    say: 'What is due tomorrow?',
    answer: 'Due tomorrow: 1\n- "call Mr. Haller", due 2026-03-03 at 09:00 [1]',
    quotes: ['call Mr. Haller'],
  },
  {
    say: 'Move it to friday',
    answer: 'Changed due of the task "call Mr. Haller": 2026-03-06 at 09:00.',
    stored: became('call Mr. Haller', OPEN_TUESDAY, OPEN_FRIDAY),
  },
  {
    say: 'Undo that',
    answer: 'Changed back the due of the task "call Mr. Haller".',
    stored: became('call Mr. Haller', OPEN_FRIDAY, OPEN_TUESDAY),
  },
  {
    say: 'Complete it',
    answer: 'Completed the task "call Mr. Haller".',
    stored: became('call Mr. Haller', OPEN_TUESDAY, DONE_TUESDAY),
  },
  {
    say: 'Summarize the note "Boiler"',
    answer: 'From "Boiler":\n- "The boiler is serviced by Mr. Haller." [1]\n',
    quotes: [
      'The boiler is serviced by Mr. Haller.',
      'Mr. Haller can be reached at 0664 123.',
      'Its warranty ends in 2027.',
      'A: 1.5 bar',
    ],
  },
  {
    say: 'Make flashcards from it',
    answer: 'Drafts from "Boiler"; none is stored:\n1. What is the pressure? — 1.5 bar [1]',
    quotes: ['Q: What is the pressure?'],
  },
  {
    say: 'Save them in the deck Home',
    answer: 'Added 1 card to the deck "Home".',
    stored: ['+ card What is the pressure?'],
  },
  { say: 'Undo that', answer: 'Move the deck "Home" to the trash: shall I? Reply: confirm {code}' },
  {
    say: 'Confirm `{code}`, please.',
    answer: 'Moved the deck "Home" to the trash',
    stored: ['- card What is the pressure?'],
  },
]

const LISTS_AND_CHOICES: readonly Turn[] = [
  {
    say: 'Find notes about tyres',
    answer: 'Notes with words of "tyres":\n1. "Winter tyres"',
    quotes: [
      'The winter tyres need 2.4 bar. They lie in our cellar.',
      'The summer tyres need 2.2 bar. They lie at the garage of Mr. Novak.',
    ],
  },
  {
    say: 'Summarize the second one',
    answer: 'From "Summer tyres":',
    quotes: ['The summer tyres need 2.2 bar.', 'They lie at the garage of Mr. Novak.'],
  },
  { say: 'Tag it with car', stored: ['- note Summer tyres', '+ note Summer tyres #car'] },
  { say: 'Undo that', stored: ['- note Summer tyres #car', '+ note Summer tyres'] },
  { say: 'Rename it to Wheels', answer: 'Change title of the note "Summer tyres": shall I?' },
  { say: 'confirm {code}', stored: ['- note Summer tyres', '+ note Wheels'] },
  { say: 'Undo that', answer: 'Change back the title of the note "Wheels": shall I?' },
  { say: 'yes', answer: 'That still waits, and only its code decides. Reply: confirm {code}, or cancel {code}.' },
  { say: 'confirm {code}', stored: ['- note Wheels', '+ note Summer tyres'] },
  {
    say: 'Add tasks: water the lawn, water the roses',
    stored: ['+ task water the lawn open', '+ task water the roses open'],
  },
  { say: 'Complete the task water', answer: 'Several tasks fit "water".' },
  { say: 'the second one', stored: ['- task water the roses open', '+ task water the roses done'] },
  { say: 'Reopen it', stored: ['- task water the roses done', '+ task water the roses open'] },
  { say: 'Delete it', answer: 'Shall I move "water the roses" to the trash? Reply: confirm {code}' },
  { say: 'ok', answer: 'That still waits' },
  { say: 'confirm {code}', stored: ['- task water the roses open'] },
  { say: 'Undo that', answer: 'Restored the task "water the roses".', stored: ['+ task water the roses open'] },
  {
    say: 'What changed since monday?',
    answer:
      'Notes, changed since monday: 4\n- "Winter tyres"\n- "Summer tyres"\n- "Roof"\n- "Boiler"\n' +
      'Tasks, changed since monday: 2\n- "water the lawn"\n- "water the roses"',
  },
  { say: 'Complete it', answer: 'Several tasks fit "it".' },
  { say: 'water the lawn', stored: ['- task water the lawn open', '+ task water the lawn done'] },
]

const VERBS_AND_DEAD_ENDS: readonly Turn[] = [
  { say: 'What did I just add?', answer: 'Notes, changed today: 4\n- "Winter tyres"' },
  { say: 'Add a task: buy chalk', stored: ['+ task buy chalk open'] },
  { say: 'What did you just do?', answer: 'The last change here was:\n> Created the task "buy chalk".' },
  { say: 'What did I just add?', answer: 'The last change here was:\n> Created the task "buy chalk".' },
  { say: 'Set its priority to high', answer: 'Changed priority of the task "buy chalk".' },
  { say: 'Change its due date to friday', stored: ['- task buy chalk open', '+ task buy chalk open 2026-03-06'] },
  { say: 'Remove its due date', stored: ['- task buy chalk open 2026-03-06', '+ task buy chalk open'] },
  { say: 'Delete it', answer: 'Shall I move "buy chalk" to the trash?' },
  { say: 'confirm {code}', stored: ['- task buy chalk open'] },
  { say: 'Bring it back', answer: 'Restored the task "buy chalk".', stored: ['+ task buy chalk open'] },
  { say: 'Cross it off my list', stored: ['- task buy chalk open', '+ task buy chalk done'] },
  { say: 'What have you just done?', answer: 'The last change here was:\n> Completed the task "buy chalk".' },
  { say: 'Who made the roof?', answer: 'From "Roof":', quotes: ['The roof was made by Mr. Berger.'] },
  { say: 'Move it to the folder House and tag it with home', stored: ['- note Roof', '+ note Roof #home'] },
  { say: 'Add "Slates are in the shed." to it', answer: 'Added to the note "Roof".' },
  { say: 'Replace "shed" by "cellar" in it', answer: 'Replaced text of the note "Roof".' },
  {
    say: 'Delete the note Roof and the note Summer tyres',
    answer: 'Shall I move "Roof" to the trash?\nShall I move "Summer tyres" to the trash?\n',
  },
]

const GERMAN: readonly NoteDraft[] = [
  {
    title: 'Heizung',
    body: 'Die Heizung wird von Herrn Haller gewartet. Die Garantie endet 2027.\n\nQ: Wie hoch ist der Druck?\nA: 1,5 bar\n',
  },
  { title: 'Schule Ella', body: 'Ellas Klassenlehrerin ist Frau Kowalski. Ihr Zimmer ist im zweiten Stock.' },
  { title: 'Schule Paul', body: 'Pauls Klassenlehrerin ist Frau Brunner. Ihr Zimmer ist neben der Turnhalle.' },
]

const GERMAN_TALK: readonly Turn[] = [
  { say: 'Wer ist Ellas Klassenlehrerin?', quotes: ['Ellas Klassenlehrerin ist Frau Kowalski.'] },
  { say: 'Wo ist ihr Zimmer?', quotes: ['Ihr Zimmer ist im zweiten Stock.'] },
  { say: 'Und Pauls?', quotes: ['Ihr Zimmer ist neben der Turnhalle.', 'Pauls Klassenlehrerin ist Frau Brunner.'] },
  {
    say: 'Nein, ich meinte Ellas',
    quotes: ['Ellas Klassenlehrerin ist Frau Kowalski.', 'Ihr Zimmer ist im zweiten Stock.'],
  },
  { say: 'Speichere das als Notiz mit dem Titel "Lehrerin"', stored: ['+ note Lehrerin'] },
  { say: 'Erinnere mich an Heizung prüfen morgen um 9 Uhr', stored: ['+ task Heizung prüfen open 2026-03-03 09:00'] },
  { say: 'Zeige meine Aufgaben', answer: 'Open tasks: 1\n- "Heizung prüfen"', quotes: ['Heizung prüfen'] },
  {
    say: 'Verschiebe sie auf Freitag',
    answer: 'Changed due of the task "Heizung prüfen": 2026-03-06 at 09:00.',
    stored: became('Heizung prüfen', OPEN_TUESDAY, OPEN_FRIDAY),
  },
  { say: 'Mach das rückgängig', stored: became('Heizung prüfen', OPEN_FRIDAY, OPEN_TUESDAY) },
  { say: 'Erledige das bitte', stored: became('Heizung prüfen', OPEN_TUESDAY, DONE_TUESDAY) },
  {
    say: 'Suche Notizen über Druck',
    answer: 'Notes with words of "Druck":\n1. "Heizung"',
    quotes: ['gewartet. Die Garantie endet 2027.\n\nQ: Wie hoch ist der Druck?\nA: 1,5 bar\n'],
  },
  {
    say: 'Fasse die erste zusammen',
    answer: 'From "Heizung":',
    quotes: [
      'Die Heizung wird von Herrn Haller gewartet.',
      'Die Garantie endet 2027.',
      'Q: Wie hoch ist der Druck?',
      'A: 1,5 bar',
    ],
  },
  { say: 'Mach daraus Karteikarten', answer: 'Drafts from "Heizung"', quotes: ['Q: Wie hoch ist der Druck?'] },
  { say: 'Leg sie in den Stapel Haus', stored: ['+ card Wie hoch ist der Druck?'] },
  { say: 'Lösche die Notiz "Heizung"', answer: 'Shall I move "Heizung" to the trash?' },
  { say: 'ja', answer: 'That still waits' },
  { say: 'confirm {code} bitte', stored: ['- note Heizung'] },
  { say: 'Mach das rückgängig', answer: 'Restored the note "Heizung".', stored: ['+ note Heizung'] },
]

const FRENCH: readonly NoteDraft[] = [
  { title: 'École Emma', body: "La maîtresse d'Emma est Mme Laurent. Sa salle est au deuxième étage." },
  { title: 'École Paul', body: 'La maîtresse de Paul est Mme Girard. Sa salle est à côté du gymnase.' },
  {
    title: 'Chaudière',
    body: 'La chaudière est entretenue par M. Petit. La garantie se termine en 2027.\n\nQ: Quelle est la pression ?\nA: 1,5 bar\n',
  },
]

const FRENCH_TALK: readonly Turn[] = [
  { say: "Qui est la maîtresse d'Emma ?", quotes: ["La maîtresse d'Emma est Mme Laurent."] },
  { say: 'Et celle de Paul ?', quotes: ['La maîtresse de Paul est Mme Girard.', 'Sa salle est à côté du gymnase.'] },
  { say: 'Où est sa salle ?', quotes: ['Sa salle est à côté du gymnase.'] },
  {
    say: 'Non, je voulais dire celle d’Emma',
    quotes: ['Sa salle est au deuxième étage.', "La maîtresse d'Emma est Mme Laurent."],
  },
  { say: 'Enregistre ça comme note intitulée "Salle"', stored: ['+ note Salle'] },
  {
    say: "Rappelle-moi d'appeler le plombier demain à 9h",
    stored: ['+ task appeler le plombier open 2026-03-03 09:00'],
  },
  { say: 'Montre mes tâches', answer: 'Open tasks: 1\n- "appeler le plombier"', quotes: ['appeler le plombier'] },
  { say: 'Déplace-la à vendredi', stored: became('appeler le plombier', OPEN_TUESDAY, OPEN_FRIDAY) },
  { say: 'Annule ça', stored: became('appeler le plombier', OPEN_FRIDAY, OPEN_TUESDAY) },
  { say: 'Termine-la', stored: became('appeler le plombier', OPEN_TUESDAY, DONE_TUESDAY) },
  {
    say: 'Cherche les notes sur gymnase',
    answer: 'Notes with words of "gymnase":\n1. "École Paul"',
    quotes: ['La maîtresse de Paul est Mme Girard. Sa salle est à côté du gymnase.'],
  },
  {
    say: 'Résume la première',
    answer: 'From "École Paul":',
    quotes: ['La maîtresse de Paul est Mme Girard.', 'Sa salle est à côté du gymnase.'],
  },
  {
    say: 'Résume la note "Chaudière"',
    answer: 'From "Chaudière":',
    quotes: [
      'La chaudière est entretenue par M. Petit.',
      'La garantie se termine en 2027.',
      'Q: Quelle est la pression ?',
      'A: 1,5 bar',
    ],
  },
  { say: 'Fais-en des cartes', answer: 'Drafts from "Chaudière"', quotes: ['Q: Quelle est la pression ?'] },
  { say: 'Supprime-la', answer: 'Shall I move "Chaudière" to the trash?' },
  { say: 'oui', answer: 'That still waits' },
  { say: 'confirm {code}', stored: ['- note Chaudière'] },
  { say: 'Annule ça', answer: 'Restored the note "Chaudière".', stored: ['+ note Chaudière'] },
]

const SPANISH: readonly NoteDraft[] = [
  { title: 'Escuela Elena', body: 'La profesora de Elena es la señora García. Su aula está en el segundo piso.' },
  { title: 'Escuela Pablo', body: 'La profesora de Pablo es la señora Ruiz. Su aula está junto al gimnasio.' },
  {
    title: 'Caldera',
    body: 'La caldera la revisa el señor Pérez. La garantía termina en 2027.\n\nQ: ¿Cuál es la presión?\nA: 1,5 bar\n',
  },
]

const SPANISH_TALK: readonly Turn[] = [
  { say: '¿Quién es la profesora de Elena?', quotes: ['La profesora de Elena es la señora García.'] },
  { say: '¿Y la de Pablo?', quotes: ['La profesora de Pablo es la señora Ruiz.'] },
  { say: '¿Dónde está su aula?', quotes: ['Su aula está junto al gimnasio.'] },
  { say: 'No, quería decir la de Elena', quotes: ['Su aula está en el segundo piso.'] },
  { say: 'Guarda eso como nota llamada "Aula"', stored: ['+ note Aula'] },
  {
    say: 'Recuérdame llamar al fontanero mañana a las 9',
    stored: ['+ task llamar al fontanero open 2026-03-03 09:00'],
  },
  { say: 'Muestra mis tareas', answer: 'Open tasks: 1\n- "llamar al fontanero"', quotes: ['llamar al fontanero'] },
  { say: 'Muévela al viernes', stored: became('llamar al fontanero', OPEN_TUESDAY, OPEN_FRIDAY) },
  { say: 'Deshaz eso', stored: became('llamar al fontanero', OPEN_FRIDAY, OPEN_TUESDAY) },
  { say: 'Complétala, por favor', stored: became('llamar al fontanero', OPEN_TUESDAY, DONE_TUESDAY) },
  {
    say: 'Busca las notas sobre gimnasio',
    answer: 'Notes with words of "gimnasio":\n1. "Escuela Pablo"',
    quotes: ['de Pablo es la señora Ruiz. Su aula está junto al gimnasio.'],
  },
  {
    say: 'Resume la primera',
    answer: 'From "Escuela Pablo":',
    quotes: ['La profesora de Pablo es la señora Ruiz.', 'Su aula está junto al gimnasio.'],
  },
  {
    say: 'Resume la nota "Caldera"',
    answer: 'From "Caldera":',
    quotes: [
      'La caldera la revisa el señor Pérez.',
      'La garantía termina en 2027.',
      'Q: ¿Cuál es la presión?',
      'A: 1,5 bar',
    ],
  },
  { say: 'Haz tarjetas de ella', answer: 'Drafts from "Caldera"', quotes: ['Q: ¿Cuál es la presión?'] },
  { say: 'Bórrala', answer: 'Shall I move "Caldera" to the trash?' },
  { say: 'sí', answer: 'That still waits' },
  { say: 'confirm {code}', stored: ['- note Caldera'] },
  { say: 'Deshaz eso', answer: 'Restored the note "Caldera".', stored: ['+ note Caldera'] },
]

describe('a talk is held to its end', () => {
  test.each([
    ['from facts to tasks', 'en', ENGLISH, FACTS_TO_TASKS],
    ['over lists and choices', 'en', ENGLISH, LISTS_AND_CHOICES],
    ['by all verbs, and past dead ends', 'en', ENGLISH, VERBS_AND_DEAD_ENDS],
    ['in German', 'de', GERMAN, GERMAN_TALK],
    ['in French', 'fr', FRENCH, FRENCH_TALK],
    ['in Spanish', 'es', SPANISH, SPANISH_TALK],
  ] as const)('%s', async (_, language, notes, turns) => {
    const me = await caller(notes)
    await world.call(me, 'PATCH', '/api/workspace/settings', { language })
    const answers = await hold(me, turns)
    expect(answers.length).toBeGreaterThanOrEqual(10)
  })
})
