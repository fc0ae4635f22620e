/** The frame of all screens: where one can go, what is open, and what the page has to say. */
import { type ComponentType, render } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useWorkspace } from '../data/use-workspace'
import { keptKeys, keys, openChosenWorkspace, workspace } from '../data/workspace'
import { openQuickAdd, QuickAddDialog } from '../quick-add/QuickAdd'
import { useCardsFromNote } from '../study/from-note'
import { keepLanguage, language, say } from '../words/say'
import { undoLast } from './act'
import { type Action, actions, createKeyHandler, useActions } from './actions'
import { refuseStrayFiles } from './drops'
import { Icon } from './icons'
import { install, prepareInstall } from './install'
import { KeysHelp, openHelp } from './KeysHelp'
import { latinKey } from './keyboard'
import { NoticeBar, notify } from './notice'
import { openPalette, PaletteDialog } from './Palette'
import { addressOf, FIRST_TASKS, go, lastTasks, route, type ScreenName } from './route'
import { ScratchNotice } from './Scratch'
import { Troubles } from './Troubles'
import { keepApp } from './versions'

interface Screen {
  readonly title: string
  /** The command that opens it. */
  readonly command: string
  /** The second key of `g …`. */
  readonly key: string
  readonly load: () => Promise<{ readonly Screen: ComponentType }>
}

const SCREENS: Partial<Record<ScreenName, Screen>> = {
  today: { title: say`Today`, command: say`Go to today`, key: 'h', load: () => import('../today/TodayScreen') },
  notes: { title: say`Notes`, command: say`Go to notes`, key: 'n', load: () => import('../notes/NotesScreen') },
  tasks: { title: say`Tasks`, command: say`Go to tasks`, key: 't', load: () => import('../tasks/TasksScreen') },
  study: { title: say`Study`, command: say`Go to study`, key: 's', load: () => import('../study/StudyScreen') },
  chat: { title: say`Chat`, command: say`Go to chat`, key: 'c', load: () => import('../chat/ChatScreen') },
  settings: {
    title: say`Settings`,
    command: say`Go to settings`,
    key: ',',
    load: () => import('../settings/SettingsScreen'),
  },
}
const LISTED = Object.entries(SCREENS) as [ScreenName, Screen][]

/** Shows the app in an element, and keeps it on the key that is chosen in this browser. */
export function startApp(root: HTMLElement): void {
  document.documentElement.lang = language
  const onKey = createKeyHandler(
    () => actions.value,
    () => performance.now(),
  )
  window.addEventListener('keydown', (event) => {
    const isK = latinKey(event).toLowerCase() === 'k'
    if (isK && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      openPalette()
    } else onKey(event)
  })
  keys.addEventListener('change', () => {
    if ((keys.chosen?.key ?? null) === workspace.peek()?.key) return
    // In place of a notice that belongs to the other workspace.
    notify(keys.chosen ? say`This is the workspace of “${keys.chosen.name}”.` : say`This is the scratch space.`)
    openChosenWorkspace()
  })
  window.addEventListener('storage', () => keys.refresh())
  refuseStrayFiles()
  prepareInstall()
  openChosenWorkspace().then(async () => {
    const copies = await import('../data/forgotten-copies').catch(() => null)
    await copies?.deleteForgottenCopies()
  })
  render(<App />, root)
}

/** Where a screen is opened. */
const addressOfScreen = (name: ScreenName) => (name === 'tasks' ? lastTasks.value : addressOf(name))

/** Opens the workspace of another key, on a screen that shows nothing of the one before. */
function switchTo(key: string): void {
  go(addressOf('today'))
  keys.choose(key)
}

function App() {
  // Everything below belongs to one workspace: another key starts it again.
  return workspace.value ? <Frame key={workspace.value.key ?? ''} /> : null
}

function Frame() {
  const open = useWorkspace()
  const [settings] = open.copy.shown.workspace_settings.value.values()
  useLayoutEffect(() => {
    // The list that was open last may be of another workspace.
    lastTasks.value = FIRST_TASKS
  }, [])
  useEffect(() => void (settings && keepLanguage(settings.language)), [settings?.language])
  const general = useMemo<readonly Action[]>(
    () => [
      { title: say`Add a task, note or card`, keys: 'q', run: () => openQuickAdd() },
      ...LISTED.map(([name, { command, key }]) => ({
        title: command,
        keys: `g ${key}`,
        run: () => go(addressOfScreen(name)),
      })),
      // On a screen that has its own search, the key is for that.
      { title: say`Find a note, task or card`, keys: '/', run: openPalette },
      { title: say`Undo`, keys: 'z', run: () => void undoLast(open) },
      { title: say`Keys{# of the keyboard}`, keys: '?', run: openHelp },
      { title: say`Import a file`, run: () => go(addressOf('settings', ['import'])) },
      { title: say`Export everything`, run: () => go(addressOf('settings', ['export'])) },
      ...keptKeys.value
        .filter(({ key }) => key !== open.key)
        .map(({ key, name }) => ({ title: say`Switch to key ${name}`, run: () => switchTo(key) })),
      { title: say`Manage keys of this browser`, run: () => go(addressOf('settings')) },
      ...(install.value ? [{ title: say`Install Satchel`, run: install.value }] : []),
      { title: say`Open the API documentation`, run: () => location.assign('../docs') },
    ],
    [open, keptKeys.value, install.value],
  )
  useActions(general, true)
  useCardsFromNote()
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        {say`Skip to the content`}
      </button>
      <Navigation />
      <main id="content" tabIndex={-1}>
        <Troubles />
        <ScratchNotice />
        <OpenScreen />
      </main>
      <NoticeBar />
      <QuickAddDialog />
      <PaletteDialog />
      <KeysHelp />
    </>
  )
}

function Navigation() {
  const { screen } = route.value
  return (
    <nav class="navigation" aria-label={say`Screens`}>
      <a class="brand" href="../">
        <img src="../icon.svg" alt="" width="24" height="24" />
        Satchel
      </a>
      <button type="button" class="primary add" onClick={() => openQuickAdd()} aria-keyshortcuts="q">
        <Icon name="add" />
        <span>{say`Add`}</span>
      </button>
      <ul>
        {LISTED.map(([name, { title }]) => (
          <li key={name}>
            <a href={addressOfScreen(name)} aria-current={name === screen ? 'page' : undefined}>
              <Icon name={name} />
              <span>{title}</span>
            </a>
          </li>
        ))}
      </ul>
      <button type="button" class="find" onClick={openPalette} aria-keyshortcuts="Control+K">
        <Icon name="search" />
        <span>{say`Find`}</span>
        <kbd>Ctrl K</kbd>
      </button>
    </nav>
  )
}

/** The screen of the address, once its code is there. */
function OpenScreen() {
  const { screen } = route.value
  const known = SCREENS[screen] ?? SCREENS.today
  const [loaded, setLoaded] = useState<{ Screen: ComponentType; of: string } | null>(null)
  const [failed, setFailed] = useState(false)
  const first = useRef(true)
  useEffect(() => {
    document.title = `${known?.title} – Satchel`
    setFailed(false)
    let isOpen = true
    known?.load().then(
      ({ Screen }) => isOpen && setLoaded({ Screen, of: screen }),
      () => isOpen && setFailed(true),
    )
    return () => {
      isOpen = false
    }
  }, [screen])
  // With the screen, not after it: a key that is pressed as soon as it is shown gives the focus to something else.
  useLayoutEffect(() => {
    // The screen may have moved it to a field.
    if (!first.current && !document.querySelector('main :focus'))
      document.querySelector<HTMLElement>('main h1')?.focus()
    if (!loaded) return
    first.current = false
    void keepApp()
  }, [loaded])
  if (failed)
    return (
      <p class="notice" role="alert">
        {say`This screen could not be loaded: the server cannot be reached.`}{' '}
        <a href={location.href}>{say`Try again`}</a>
      </p>
    )
  // Not the screen of before: the rest of the address is not meant for it.
  return loaded?.of === screen ? <loaded.Screen /> : null
}
