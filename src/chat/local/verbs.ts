/**
 * The commands, each with its sentences in four languages. `<x>` is a thing that is searched, `<t>` a text, `<w>` a time,
 * `<n>` a name, `<l>` labels, `<p>` a priority, `<d>` a deck, `<j>` a project or folder; a capital takes as much as it can.
 * `~` marks a sentence that only tells something: then the thing has to be there. The first that fits counts.
 */
import type { TimeLanguage } from '../../lib/civil/languages'
import { FRENCH_COMMANDS, SPANISH_COMMANDS } from './romance'

/** The commands, in the order in which they are tried. */
export const COMMANDS = [
  ...(['undo', 'quiz', 'draft', 'card', 'undate', 'complete', 'rank', 'label', 'rename', 'restore'] as const),
  ...(['remind', 'task', 'list', 'note', 'remember', 'delete', 'move', 'append'] as const),
] as const

export type CommandKind = (typeof COMMANDS)[number]

type Sentences = Readonly<Record<CommandKind, string>>

/** Sentences are divided by lines. */
const EN: Sentences = {
  undo: `(?:undo|revert|reverse)(?: (?:it|that|this|(?:the |my |your )?last (?:change|action|thing|one)|what you (?:just )?did))?
    (?:take back|roll back|cancel) (?:that|this|(?:the|my|your) last (?:change|action|thing)|what you just did)
    (?:(?:that|this|it) was (?:wrong|a mistake|not what i meant)[,.]? )?(?:take (?:it|that) back|undo(?: it| that)?)`,
  restore: `(?:restore|undelete|recover) <x>(?: (?:from|out of) (?:the )?(?:trash|bin))?
    (?:bring|get|put|take) <x> back(?: (?:out of|from) (?:the )?(?:trash|bin))?
    (?:bring|get) back <x>(?: (?:out of|from) (?:the )?(?:trash|bin))?
    (?:take|get|pull) <x> (?:out of|from) (?:the )?(?:trash|bin)`,
  quiz: `(?:quiz|test|examine) me(?: (?:on|about|in|with) <d>)?
    (?:ask|give|show) me (?:a|another|some|one|the next) (?:flash ?)?(?:card|question)s?(?: (?:from|about|on|in|of) <d>)?
    (?:let's |let me |i want to |i'd like to )?(?:practi[sc]e|revise|review|study|learn|train)(?: my| the| some)?(?: <d>)? (?:flash ?)?cards?
    i(?:'d like| want) to (?:learn|practi[sc]e|study|revise)(?: some| my)? <d>[,.;] ?(?:please )?(?:ask|quiz|test) me.*
    start (?:a|the) quiz(?: (?:on|about|with|in|from) <d>)?
    (?:the )?next (?:flash ?)?(?:card|question)`,
  draft: `(?:make|create|generate|draft|suggest|give|build|write|prepare|extract|i want|i need|i'd like)(?: me| us)?(?: some| \\d+| a (?:deck|set) of)? (?:flash ?)?cards? (?:from|out of|of|based on|about) <x> and (?:save|add|put|store) them (?:in|to|into) <d>
    (?:make|create|generate|draft|suggest|give|build|write|prepare|extract|i want|i need|i'd like)(?: me| us)?(?: some| \\d+| a (?:deck|set) of)? (?:flash ?)?cards? (?:from|out of|of|based on|about) <x>
    turn <x> into (?:flash ?)?cards and (?:save|add|put|store) them (?:in|to|into) <d>
    (?:turn|make|convert) <x> into (?:flash ?)?cards
    (?:flash ?)?cards? (?:from|out of) <x>`,
  card: `(?:make|add|create|new|save)(?: me)?(?: a| an| the| another)?(?: new)? (?:flash ?)?card(?:(?: (?:to|in|for|into) <d>)?:| (?:with|front|question|q:)(?: the)?|(?= ["“]| .+(?: = | - | – | -> | / | :: ))) ?<t>
    (?:flash ?)?card(?: for <d>)?: <t>
    (?:make|add|create|new) (?:flash ?)?cards?(?: (?:to|in|for|into) <d>)?: ?<t>
    flash ?cards: <t>
    (?<t>q: .+ a: .+)`,
  undate: `(?:remove|delete|clear|drop|erase|cancel|take) (?:the |its |that )?(?:due date|due|date|deadline)s? (?:from|of|for|on|off(?: of)?) <x>
    (?:remove|delete|clear|drop|erase) (?<x>its|the) (?:due date|date|deadline)
    no (?:more )?(?:due date|date|deadline) (?:any ?more )?for <x>
    unschedule <x>
    (?:set|make|leave|put|keep) <x> (?:to no (?:due )?date|undated|without (?:a |any )?(?:due )?(?:date|deadline)|(?:to )?no deadline)
    ~<x> (?:has|needs|gets) no (?:due )?(?:date|deadline)(?: any ?more)?
    ~<x> no longer (?:has|needs) a (?:due )?(?:date|deadline)`,
  rank: `(?:set|change|raise|lower|put|bump) (?:the )?priority (?:of|for|on) <X> (?:to|as|at) <p>
    (?:set|change|move|put|bump|raise|lower) <X> (?:to|as|at) <p>
    (?:make|mark|flag) <X>(?: as| a)? <p>
    give <X>(?: the| a)? <p>
    (?:remove|clear|drop|delete) (?:the |any )?(?<p>priority) (?:from|of|on) <x>
    priorit[iy][sz]e <X>(?::| as)? <p>
    (?:change|set) <x>'s priority to <p>
    ~<x> (?:is|has)(?: now)?(?: a| the)? <p>`,
  label: `(?:label|tag) <X> (?:as|with) <l>
    (?:label|tag) <X> (?<l>#?\\p{L}[\\p{L}\\d_-]*)
    (?:add|put|stick|set|attach) (?:the |a )?(?:label|tag)s? <l> (?:to|on|onto|for) <x>
    (?:add|put) (?<l>#\\S+) (?:to|on) <x>
    give <X> (?:the |a )?(?:label|tag)s? <l>
    (?:remove|take|delete|drop) (?:the )?(?<off>label|tag)s? <l> (?:from|off|off of|of) <x>
    (?<off>unlabel|untag) <X> (?<l>#?\\p{L}[\\p{L}\\d_-]*)
    ~<x> (?:gets|should get|needs|has) (?:the )?(?:label|tag)s? <l>
    ~<x>: (?:label|tag)s? <l>`,
  rename: `(?:rename|retitle) <X>(?: to| as| into|:) <n>
    change (?:the )?(?:title|name) of <X> (?:to|into) <n>
    (?:change|set) the <x> (?:title|name) to <n>
    give <X> the (?:new )?(?:title|name) <n>
    ~<x> should (?:now )?be (?:called|named) <n>`,
  complete: `(?:mark|set) <x> (?:as |to )?(?<off>not done|undone|open|not complete|incomplete|unfinished)(?: again)?
    (?:mark|set|flag) <x> (?:as |to )?(?:done|complete|completed|finished)
    (?:tick|check|cross|mark) off <x>
    (?:tick|check|cross|mark) <x> off(?: (?:on |from |of )?(?:my|the) .*list.*| my tasks| for me)?
    (?:complete|finish|close) <x>
    (?<off>reopen|re-open|uncheck|untick) <x>
    done(?: with)?: ?<x>
    ~<x> (?:is|are|has been|have been|got) (?:now |all )?(?:done|finished|completed)
    ~(?:i(?:'m| am)|we're) (?:done|finished) with <x>`,
  list: `(?:add|put|stick|throw|write|get|include|place|note|pop)(?: also)? <t> (?:to|on|onto|in|into) <n>
    (?:also|and|more|some more|then) <t> (?:to|on|onto) <n>
    (?:add to|on|for) <n>[:,] ?(?:add |put )?<t>
    <t>,? (?:(?:so |please )*(?:add|put) (?:it|them|that|those) )(?:to|on|onto) <n>
    (?:make|create|start|new|open)(?: me)?(?: a| an| the)?(?: new)? <n>(?::| with) ?<t>
    <n>(?::|\\n) ?<t>`,
  append: `(?:append|add|write|put)(?: (?:a line|this|something|the following))? to (?:the end of )?<x>: <t>
    (?:add|append|put|write|insert|note|jot down|include) <T> (?:to|in|into|on|at the end of|onto) <x>
    (?:note|write|jot down|mention|record) in <x>(?: that|:|,) <t>
    in <x>[:,] (?:add|write|note|put|append):? <t>
    (?:append|add) to <x>,? <t>`,
  remind: `remind me <w>,? (?:to|about|of|that|:) ?<t>
    remind me(?: again)?(?: to|:| that| about) <t>
    <w>,? (?:please |can you |could you )*remind me(?: to| about| that|:)? <t>
    (?:set|add|create|make|new|put)(?: me| up)?(?: a| an| another)?(?: new)? (?:reminder|alarm)(?: for <w>)?(?: to| for| about| that says|:|,|;) (?:remind me to )?<t>
    reminder(?: for <w>)?: <t>
    (?:don't|do not|never) let me forget(?: to| about| that)? <t>
    (?:make sure|ensure)(?: that)? i (?:remember|don't forget) to <t>
    i(?:'d like| want| need) to be reminded(?: to| about| of)? <t>
    <t>[,.;] (?:so |please )*remind me(?: of (?:it|that)| about (?:it|that))?`,
  task: `(?:add|create|make|new|set up|open|put in)(?: me)?(?: a| an| the| another| one)?(?: new)? (?:task|to-?do)(?!\\p{L}| force| list)(?: (?:in|to|under) (?:the )?(?:project <j>|<j> project))?(?: for <w>:)?(?: called| named| titled| saying| to|:|,| -)? ?<t>
    (?:add|create|make|new)(?: these| the| some| my| two| three| four| five| \\d+)?(?: new)? (?<many>tasks|to-?dos|reminders):? <t>
    (?:task|to-?do)s?(?: for (?:today|tomorrow|the week))?: <t>
    <t>[,.;] (?:so |please )*(?:add|put) (?:that|it|this) (?:to|on|onto|in) (?:my|the) (?:tasks|task list|to-?do list|to-?dos|list)`,
  note: `(?:create|make|add|start|write|new|take|jot down|open|save)(?: me)?(?: a| an| another| the)?(?: new| quick)? note (?:called|named|titled|entitled|with the (?:title|name)) <n>(?::| with the text:?| with:?| saying| that says) <t>
    (?:create|make|add|start|write|new|take|jot down|open|save)(?: me)?(?: a| an| another| the)?(?: new| quick)? note (?:called|named|titled|entitled|with the (?:title|name)) <n>
    (?:create|make|add|start|write|new|take|open|save)(?: me)?(?: a| an| another| the)?(?: new| quick)? note ["“](?<n>[^"“”]+)["”](?::? ?(?:with the text |saying )?<t>)?
    (?:create|make|add|start|write|new|take|jot down|save)(?: me)?(?: a| an| another)?(?: new| quick| short)? note(?::| that| about| saying| of) <t>
    note(?: to self)?: <t>
    (?:create|make|add|start|write|take|open)(?: me)?(?: a| an| another)?(?: new| quick| short)? note`,
  remember: `remember(?: that|:| this:) <t>
    (?:save|store|keep|write down|note down|jot down|record)(?: this| that| the following)?(?: for (?:later|me))?: <t>
    keep in mind(?: that|:) <t>
    (?:(?:note|jot|write|put) down|record|take down)(?: that|:) (?!what)<t>
    (?:please |take )note(?: that|:) (?!is |was )<t>`,
  move: `(?:move|put|file|add|assign) <x> (?:to|into|in|under) (?:the |my )?(?:project <j>|<j> project)
    (?:move|put|file) <x> (?:to|into|in|under) (?:the |my )?(?:folder (?<folder>.+)|(?<folder2>.+) folder)
    (?:move|postpone|push(?: back)?|reschedule|shift|delay|defer|put off|bring forward) <X> (?:to|until|till|for|on|by) <w>
    (?:set|change|move|make) (?:the )?(?:due date|due|date|deadline) (?:of|for) <X> (?:to|on|until|for) <w>
    (?:make|set) <x> due(?: on| by| at)? <w>
    ~<x> can wait(?: until| till| for) <w>
    ~<x> (?:should be|is now|is|needs to be) (?:due|moved to)(?: on| by)? <w>`,
  delete: `(?:move|put|throw) <x> (?:to|in|into) the (?:trash|bin)
    (?:take|remove|cross|scratch|delete|strike) <x> (?:off|from) (?:of )?my (?:to-?do|task|tasks|list|chores?)(?: list)?(?: of .+)?
    (?:delete|remove|trash|bin|discard|erase|throw away|throw out|get rid of|scrap|scratch) <x>`,
}

const DE: Sentences = {
  undo: `(?:(?:das|es) )?(?:wieder )?rückgängig(?: machen| bitte)?
    mach(?:e)? (?:das|es|die letzte änderung)(?: bitte)?(?: wieder)? rückgängig
    (?:das|es|die letzte änderung|was du (?:gerade|eben) getan hast) (?:bitte )?(?:wieder )?(?:rückgängig machen|zurücknehmen)
    (?:die )?letzte änderung (?:zurücknehmen|rückgängig(?: machen)?)
    (?:(?:das|es) war (?:falsch|ein fehler)[,.]? )?(?:nimm|nehm) (?:das|es)(?: bitte)?(?: wieder)? zurück`,
  restore: `(?:stell|stelle|hol|hole|bring|bringe|leg|lege|nimm) <x> (?:bitte )?(?:wieder her|(?:wieder )?zurück|aus dem papierkorb(?: zurück)?)
    <x> (?:bitte )?(?:aus dem papierkorb )?(?:wiederherstellen|zurückholen|zurückbringen|wieder herstellen|holen)`,
  quiz: `frag(?:e)? mich(?: (?:etwas|was))?(?: (?:aus|zu|über) <d>)?(?: ab)?
    frag(?:e)? mich <d> ab
    mich (?:(?:zu|in|über) )?<d> abfragen
    (?:stell|gib|zeig)(?:e)? mir (?:eine|noch eine|die nächste) (?:kartei|lern)?(?:karte|frage)(?: (?:aus|zu) <d>)?
    (?:lass uns|ich will|ich möchte) (?:meine |die )?(?:<d> )?(?:kartei|lern)?karten (?:üben|lernen|wiederholen)
    (?:ich (?:will|möchte)|lass uns) lernen[,.;] ?frag mich(?: (?:was|etwas))?(?: (?:aus|zu|über) <d>)?(?: ab)?
    (?:die )?nächste (?:kartei|lern)?(?:karte|frage)`,
  draft: `(?:mach|mache|erstell|erstelle|erzeug|erzeuge|generiere|schreib|schlag|ich hätte gern(?:e)?|ich will|ich möchte)(?: mir)?(?: ein paar)? (?:kartei|lern)?karten (?:aus|von|zu|über) <x>(?: vor)?
    (?:aus|von) <x> (?:kartei|lern)?karten (?:machen|erstellen|erzeugen)
    (?:mach|mache|erstelle) (?:aus|von) <x> (?:kartei|lern)?karten
    (?:verwandle|mach|mache) <x> (?:in|zu) (?:kartei|lern)?karten
    (?:kartei|lern)?karten aus <x>`,
  card: `(?:mach|mache|erstell|erstelle|neue|leg|lege|füg|füge)(?: mir)?(?: eine)?(?: neue)? (?:kartei|lern)?karte(?: (?:an|hinzu))?(?:(?: (?:für|in|zu) <d>)?:| (?=frage|vorderseite)) ?<t>
    (?:kartei|lern)?karte(?: (?:für|in|zu) <d>)?: <t>`,
  undate: `(?:entfern|entferne|lösch|lösche|nimm|streich|streiche) (?:das|die|den) (?:datum|frist|fälligkeit|termin|fälligkeitsdatum|deadline) (?:von|bei|für|der|des) <x>(?: weg)?
    (?:das|die) (?:datum|frist|fälligkeit|deadline) (?:von|bei|für) <x> (?:entfernen|löschen|streichen)
    keine? (?:datum|frist|fälligkeit|termin|deadline)(?: mehr)? für <x>
    (?:mach|mache|setz|setze|lass) <x> (?:undatiert|(?:auf )?ohne (?:datum|frist|termin|fälligkeit))
    ~<x>(?: bitte)? ohne (?:datum|frist|termin|fälligkeit)
    ~<x> (?:hat|braucht) keine? (?:datum|frist|termin|fälligkeit)(?: mehr)?`,
  rank: `(?:änder|ändere|setz|setze|stell|stelle|erhöh|erhöhe|senk|senke) die priorität (?:von|für|bei) <X> (?:auf|zu) <p>
    (?:die )?priorität von <X> auf <p> (?:setzen|ändern|stellen)
    (?:setz|setze|stell|stelle|stuf|stufe) <X> (?:auf|als) <p>(?: ein)?
    (?:mach|mache|markier|markiere) <X>(?: (?:als|zu))? <p>
    gib <X>(?: die| eine)? <p>
    (?:entfern|entferne|lösch|lösche|nimm) die (?<p>priorität) (?:von|bei|für) <x>(?: weg)?
    ~<x> (?:bekommt|hat|ist|kriegt)(?: die)? <p>`,
  label: `(?:tagg|tagge|labele|etikettier|etikettiere|markier|markiere|versieh) <X> (?:mit|als) (?:dem |das )?(?:label |etikett |tag )?<l>
    <X> (?:mit|als) (?:dem |das )?(?:label |etikett |tag )?<l> (?:labeln|taggen|markieren|versehen)
    gib <X> (?:das|die|ein) (?:labels?|etiketten?|etikett|tags?) <l>
    (?:füg|füge) (?:das|die) (?:labels?|etikett|tags?) <l> (?:zu|zur aufgabe|bei) <x> hinzu
    (?:setz|setze|kleb|klebe|häng|hänge|pack) (?:das|die) (?:labels?|etikett|tags?) <l> (?:auf|an|zu) <x>(?: an)?
    (?:labels?|etikett|tags?) <l> (?:für|auf|an|zu) <x>
    (?:entfern|entferne|nimm|lösch|lösche) (?:das|die) (?<off>label|etikett|tag)s? <l> von <x>(?: weg)?
    ~<x> (?:bekommt|kriegt|braucht) (?:das|die) (?:labels?|etikett|tags?) <l>
    ~<x>: (?:label|etikett|tag) <l>`,
  rename: `(?:benenn|benenne|nenn|nenne) <X> (?:um )?(?:in|zu) <n>(?: um)?
    <X> (?:umbenennen (?:in|zu) <n>|(?:in|zu) (?<n2>.+) umbenennen)
    (?:den )?(?:titel|namen?) (?:von|der) <X> (?:ändern )?(?:in|zu|auf) <n>(?: ändern)?
    (?:änder|ändere) (?:den )?(?:titel|namen) (?:von|der) <X> (?:in|zu|auf) <n>
    gib <X> den (?:neuen )?(?:titel|namen) <n>
    ~<x> soll(?:te)?(?: ab jetzt)? <n> heißen`,
  complete: `(?:hak|hake|streich|streiche|schließ|schließe) <x> ab
    (?:erledig|erledige|beende) <x>
    (?:setz|setze|markier|markiere|stell|stelle) <x> (?:auf|als) (?<off>offen|nicht erledigt|unerledigt)
    (?:setz|setze|markier|markiere|stell|stelle) <x> (?:auf|als) (?:erledigt|fertig|abgeschlossen|getan)
    (?<off>öffne) <x>(?: wieder| erneut)
    erledigt: <x>
    <x> (?:abhaken|abschließen|erledigen)
    <x> (?:auf|als) (?:erledigt|fertig) (?:setzen|markieren)
    ~<x> (?:ist|sind|wurde) (?:jetzt |schon )?(?:erledigt|fertig|gemacht|abgeschlossen)
    ~<x> erledigt`,
  list: `(?:setz|setze|schreib|schreibe|tu|tue|gib|pack|packe|füg|füge|nimm|notier|notiere|trag)(?: bitte| noch| auch)* <t> (?:auf|zu|zur|in|an) <n>(?: hinzu| dazu| ein)?
    <t> (?:auf|zu|zur) <n> (?:tun|setzen|schreiben|packen|geben|hinzufügen)
    (?:noch|auch) <t> (?:auf|zu|zur) <n>
    (?:wir brauchen|ich brauche) <t>,? (?:bitte )?(?:auf|zu|zur) <n>(?: damit)?
    (?:mach|mache|erstell|erstelle|neue)(?: mir)?(?: eine)?(?: neue)? <n>(?::| mit) <t>
    <n>(?::|\\n) ?<t>`,
  append: `(?:häng|hänge) (?:an )?<x> an: ?<t>
    (?:ergänz|ergänze|notier|notiere|schreib|schreibe|trag|trage|vermerk|vermerke) (?:bei|in|zu|zur|an)(?: der| den| dem| das)? <x>(?: ein| nach| dazu)?: ?<t>
    (?:ergänz|ergänze) <x> um <t>
    (?:füg|füge) (?:zu|zur|der|an) <x> hinzu: ?<t>
    (?:füg|füge|schreib|schreibe|setz|setze|häng|hänge|pack|packe) <T> (?:zu|zur|in|an|auf)(?: die| der| den)? <x>(?: hinzu| dazu| an)?
    (?:zu|zur|an|in) <x> (?:dazu|hinzufügen|ergänzen)?: ?<t>`,
  remind: `(?:erinner|erinnere) mich <w> (?:daran,? |an (?:den |die |das )?|ans |dass? )<t>
    (?:erinner|erinnere) mich (?:daran,? ?|an (?:den |die |das )?|ans |dass? |: ?)<t>
    <w> (?:bitte )?(?:erinner|erinnere) mich (?:daran,? |an (?:den |die |das )?|ans )<t>
    mich <w> (?:an (?:den |die |das )?|ans |daran,? )<t> (?:zu )?erinnern
    mich (?:an (?:den |die |das )?|ans |daran,? )<t>(?: zu)? erinnern
    (?:neue )?erinnerung(?: für <w>)?: <t>
    (?:setz|setze|erstell|erstelle|mach|mache)(?: mir)? eine erinnerung(?: für <w>)?(?::| an) <t>
    lass mich nicht vergessen,? (?:dass )?<t>
    <t>[,.;] (?:bitte )?(?:erinner|erinnere) mich(?: daran| bitte)?`,
  task: `(?:neue|erstell|erstelle|mach|mache|füg|füge|leg|lege|hinzufügen)(?: mir)?(?: bitte)?(?: eine| die)?(?: neue)? aufgabe(?: (?:im|zum|in) projekt <j>)?(?: für <w>:)?(?: (?:an|hinzu))?(?::|,| namens)? ?<t>(?: (?:an|hinzu))?
    (?:eine |die )?(?:neue )?aufgabe <t> (?:anlegen|erstellen|hinzufügen)
    aufgabe (?:anlegen|erstellen|hinzufügen):? <t>
    (?:neue )?(?:aufgabe|(?<many>aufgaben)): <t>
    (?:setz|setze|schreib|schreibe|pack|tu) <t> auf (?:meine|die) (?:to-?do-?|aufgaben-?)liste
    (?:to-?do|zu erledigen): <t>`,
  note: `(?:erstell|erstelle|leg|lege|mach|mache|schreib|schreibe|neue|füg|füge)(?: mir)?(?: bitte)?(?: eine)?(?: neue)? notiz (?:namens|mit dem (?:titel|namen)|mit titel) <n>(?: an)?(?::| mit dem text:?) <t>
    (?:erstell|erstelle|leg|lege|mach|mache|schreib|schreibe|neue|füg|füge)(?: mir)?(?: bitte)?(?: eine)?(?: neue)? notiz (?:namens|mit dem (?:titel|namen)|mit titel) <n>(?: an| hinzu)?
    (?:erstell|erstelle|leg|lege|mach|mache|schreib|schreibe|neue)(?: mir)?(?: bitte)?(?: eine)?(?: neue)? notiz ["„“](?<n>[^"„“”]+)["“”](?: an)?(?::? ?<t>)?
    (?:erstell|erstelle|leg|lege|mach|mache|schreib|schreibe|neue|füg|füge)(?: mir)?(?: bitte)?(?: eine)?(?: neue)? notiz(?: an| hinzu)?(?::|,? dass|, ) ?<t>
    notiz: <t>
    (?:erstell|erstelle|leg|lege|mach|mache)(?: mir)?(?: eine)?(?: neue)? notiz(?: an)?`,
  remember: `(?:merk|merke) dir(?:,? dass|:|,) ?<t>
    (?:speicher|speichere|behalte?|notier|notiere|schreib|schreibe|halt|halte)(?: bitte)?(?: dir| das| dies| folgendes)?(?: auf| fest)?(?::|, dass) ?<t>
    (?:denk|denke) (?:bitte )?daran,? dass <t>`,
  move: `(?:verschieb|verschiebe|pack|packe|leg|lege|setz|setze) <x> (?:ins|in das|zum|zu) projekt <j>
    (?:verschieb|verschiebe|pack|packe|leg|lege) <x> (?:in den|in) ordner (?<folder>.+)
    (?:verschieb|verschiebe|verleg|verlege|leg|lege|schieb|schiebe|setz|setze|zieh|ziehe) <X> (?:auf|bis|zum|um|am) (?:den |die |das )?<w>(?: vor)?
    <X> (?:auf|bis|zum|um) (?:den |die )?<w> (?:verschieben|schieben|verlegen|legen|setzen)
    (?:änder|ändere|setz|setze) (?:das datum|die frist|die fälligkeit|den termin) (?:von|für) <X> (?:auf|zu) (?:den |die )?<w>
    ~<x>(?: bitte)? erst (?:am |ab |um )?(?:den )?<w>
    ~<x> (?:kann|hat|soll) (?:noch )?(?:bis|am|zum|zeit bis)(?: zum| am)? <w>(?: warten| fällig sein)?`,
  delete: `(?:wirf|schmeiß|schmeiße|verschieb|verschiebe|leg|lege) <x> (?:in den (?:papierkorb|müll)|weg)
    (?:lösch|lösche|entfern|entferne) <x>
    <x> (?:bitte )?(?:löschen|entfernen|wegwerfen)
    weg mit <x>`,
}

/** A sentence of a command. */
export interface Sentence {
  readonly kind: CommandKind
  readonly pattern: RegExp
  /** Whether it only tells something. */
  readonly tells: boolean
}

const compile = (sentences: Sentences): readonly Sentence[] =>
  COMMANDS.flatMap((kind) =>
    sentences[kind].split(/\n\s*/).map((line): Sentence => {
      const source = line
        .replace(/^~/, '')
        .replace(/(?<!\(\?)<([a-z])>/g, '(?<$1>.+?)')
        .replace(/(?<!\(\?)<([A-Z])>/g, (_, slot: string) => `(?<${slot.toLowerCase()}>.+)`)
      return { kind, pattern: new RegExp(`^(?:${source})$`, 'isu'), tells: line.startsWith('~') }
    }),
  )

const tables: Readonly<Record<TimeLanguage, Sentences>> = { en: EN, de: DE, fr: FRENCH_COMMANDS, es: SPANISH_COMMANDS }
const compiled = new Map<TimeLanguage, readonly Sentence[]>()

/** Returns the sentences of a language, in the order in which they are tried. */
export function sentencesIn(language: TimeLanguage): readonly Sentence[] {
  const known = compiled.get(language) ?? compile(tables[language])
  compiled.set(language, known)
  return known
}
