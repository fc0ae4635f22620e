/**
 * A small workspace and what may be asked of it. The notes are of the kinds people keep: prose, lists, tables, code,
 * logs. An answerable question names its note and a piece of text that the quoted sentence must hold.
 */

export const NOTES: readonly { title: string; body: string }[] = [
  {
    title: 'House',
    body: `# House

## Heating
The boiler is a Vaillant ecoTEC and stands in the cellar. The boiler warranty ends on 3 May 2027. It is serviced each
October by Mr. Haller; his phone number is 0664 123 45 67.

## Water
The main water valve is behind the washing machine. Turn it clockwise to close it.

## Electricity
The fuse box hangs in the hallway next to the front door. The meter is read in January.`,
  },
  {
    title: 'Wifi and devices',
    body: `Wifi name: Kestrel
Wifi password: heron-lamp-42
Guest network: Kestrel-Guest, password visitor2024

The printer is a Brother HL-L2350 with the address 192.168.1.40.
The router sits on top of the bookshelf in the study.`,
  },
  {
    title: 'Subscriptions',
    body: `| Service | Cost | Renews |
|---|---|---|
| Newspaper | 24 € a month | 1 March |
| Cloud storage | 30 € a year | 12 August |
| Gym | 45 € a month | cancelled |
| Streaming | 13 € a month | every month |`,
  },
  {
    title: 'Trip to Lisbon',
    body: `# Trip to Lisbon
We fly on 14 September at 07:35 from Vienna. The hotel is the Casa do Bairro, near the Santa Catarina viewpoint.

## To pack
- sun cream
- the blue rucksack
- adapters are not needed: Portugal uses the same plugs

## Booked
1. Tram tour on the first day
2. Dinner at Ramiro on Saturday at eight, table for four
3. Train to Sintra, tickets are in the mail folder`,
  },
  {
    title: 'Sourdough bread',
    body: `Feed the starter twice, eight hours apart. Mix 500 g of flour with 350 g of water and 10 g of salt.
Let the dough rest for four hours at room temperature, because a cold dough hardly rises.

Bake it at 240 degrees for 45 minutes. The lid comes off after half an hour so that the crust gets brown.`,
  },
  {
    title: 'Car',
    body: `The Skoda was bought in June 2019 for 18,400 euros. Its number plate is W-48213K.

Tyres: summer tyres are stored at the garage of Mr. Novak in Linzer Street.
The next inspection is due in June 2026. Winter tyres need 2.4 bar.`,
  },
  {
    title: 'Garden',
    body: `Tomatoes go out after the Ice Saints in mid May. They failed last year because of blight; the new variety is
called Phantasia and resists it.

The apple tree is a Topaz. It was planted by grandfather in 1998. Prune it in February.

- [x] buy compost
- [ ] build a frame for the beans`,
  },
  {
    title: 'Meeting with the roofers',
    body: `# Meeting with the roofers, 2 March
Present: Anna Leitner, Mr. Gruber, me.

Gruber's offer is 12,800 euros for the whole roof. Scaffolding is included, disposal of the old tiles is not.
Work begins in the week of 20 April and takes nine days. Anna decides on the colour of the tiles.`,
  },
  {
    title: 'Doctors',
    body: `Dr. Maria Steiner is our family doctor. Her office in Bahnhofstrasse 12 is open from 8 a.m. to noon.
The dentist is Dr. Pichler, appointments by mail to praxis@pichler-zahn.example.

Vaccinations: tetanus was refreshed in 2021, the next is due in 2031. Ella is allergic to penicillin.`,
  },
  {
    title: 'Server notes',
    body: `The backup runs every night at 02:30 and keeps fourteen copies.

To restart the web server:

\`\`\`sh
sudo systemctl restart caddy
\`\`\`

Logs are under /var/log/caddy. The certificate is renewed automatically by Caddy.
The admin page is https://status.kestrel.example.`,
  },
  {
    title: 'Book club',
    body: `We meet on the first Thursday of the month at Jonas's flat. In May we read "The Leopard" by Giuseppe Tomasi di
Lampedusa. Miriam proposed it. Nobody finished Ulysses.`,
  },
  {
    title: 'Bees',
    body: `Hive one is strong, hive two lost its queen in July. Oxalic acid is used in December against the varroa mite, since
there is no brood then. Last year's harvest was 23 kilograms of honey.

Why two boxes: a single one gets too crowded and the bees swarm.`,
  },
  {
    title: 'School',
    body: `Ella's class teacher is Mrs. Kowalski. Swimming is on Wednesdays; she needs her goggles.
The summer holidays begin on 4 July. The locker code is 7314.`,
  },
  {
    title: 'Insurance',
    body: `Household insurance: Uniqa, policy 4471-223. The deductible is 300 euros. Damage by water is covered, damage by
flood is not. Report a claim within three days.`,
  },
  {
    title: 'Gift ideas',
    body: `- Mother: a subscription to the botanical garden
- Paul: the new Ishiguro novel
- Ella: a telescope, about 120 euros
- Neighbours: honey, as every year`,
  },
  {
    title: 'Coffee machine',
    body: `Descale every two months with citric acid, 30 g in one litre. The water filter was last changed on 9 January 2026.
A blinking orange light means that the drip tray is full.`,
  },
  {
    title: 'Running log',
    body: `Monday: 8 km in 47 minutes, knee fine.
Thursday: 12 km along the Danube, knee hurt after an hour.
Sunday: rest.

The half marathon in Graz is on 11 October. The goal is under two hours.`,
  },
  {
    title: 'Genossenschaft',
    body: `Die Versammlung der Genossenschaft findet am 3. Juni um 19 Uhr im Gasthaus Krone statt.
Der Mitgliedsbeitrag beträgt 80 Euro im Jahr.`,
  },
  {
    title: '日本語メモ',
    body: '京都のホテルは駅の北口にあります。朝食は七時からです。\n\n図書館の会員証は青い財布の中です。',
  },
]

/** Question, title of the note, text in the quoted sentence. */
export const ANSWERABLE: readonly (readonly [question: string, title: string, answer: string])[] = [
  ['When does the boiler warranty end?', 'House', '3 May 2027'],
  ["What is Mr. Haller's phone number?", 'House', '0664 123 45 67'],
  ['Where is the main water valve?', 'House', 'behind the washing machine'],
  ['Where does the fuse box hang?', 'House', 'hallway'],
  ['When is the electricity meter read?', 'House', 'January'],
  ['What is the wifi password?', 'Wifi and devices', 'heron-lamp-42'],
  ['what is the password of the guest network', 'Wifi and devices', 'visitor2024'],
  ['Which address does the printer have?', 'Wifi and devices', '192.168.1.40'],
  ['Where is the router?', 'Wifi and devices', 'bookshelf'],
  ['How much does the newspaper cost?', 'Subscriptions', '24 €'],
  ['When does the cloud storage renew?', 'Subscriptions', '12 August'],
  ['How much is the gym?', 'Subscriptions', '45 €'],
  ['When do we fly to Lisbon?', 'Trip to Lisbon', '14 September'],
  ['What is the name of our hotel in Lisbon?', 'Trip to Lisbon', 'Casa do Bairro'],
  ['Do we need adapters in Portugal?', 'Trip to Lisbon', 'adapters are not needed'],
  ['Where are the tickets for the train to Sintra?', 'Trip to Lisbon', 'mail folder'],
  ['What time is dinner at Ramiro?', 'Trip to Lisbon', 'at eight'],
  ['How much flour goes into the sourdough bread?', 'Sourdough bread', '500 g'],
  ['How long should I bake the bread?', 'Sourdough bread', '45 minutes'],
  ['Why should the dough rest at room temperature?', 'Sourdough bread', 'hardly rises'],
  ['When was the Skoda bought?', 'Car', 'June 2019'],
  ['Where are the summer tyres stored?', 'Car', 'Mr. Novak'],
  ['When is the next inspection of the car due?', 'Car', 'June 2026'],
  ['What pressure do the winter tyres need?', 'Car', '2.4 bar'],
  ['Why did the tomatoes fail?', 'Garden', 'blight'],
  ['Who planted the apple tree?', 'Garden', 'grandfather'],
  ['When should I prune the apple tree?', 'Garden', 'February'],
  ['How much is the offer for the roof?', 'Meeting with the roofers', '12,800'],
  ['Is scaffolding included?', 'Meeting with the roofers', 'Scaffolding is included'],
  ['Who decides on the colour of the tiles?', 'Meeting with the roofers', 'Anna'],
  ['Who is our family doctor?', 'Doctors', 'Maria Steiner'],
  ['What is Ella allergic to?', 'Doctors', 'penicillin'],
  ['When is the next tetanus vaccination due?', 'Doctors', '2031'],
  ['How do I restart the web server?', 'Server notes', 'systemctl restart caddy'],
  ['When does the backup run?', 'Server notes', '02:30'],
  ['Where are the logs of caddy?', 'Server notes', '/var/log/caddy'],
  ['Who proposed The Leopard for the book club?', 'Book club', 'Miriam'],
  ['When does the book club meet?', 'Book club', 'first Thursday'],
  ['How many kilograms of honey did we harvest?', 'Bees', '23 kilograms'],
  ['Which hive lost its queen?', 'Bees', 'hive two'],
  ["Who is Ella's class teacher?", 'School', 'Kowalski'],
  ['What is the code of the locker?', 'School', '7314'],
  ['When do the summer holidays begin?', 'School', '4 July'],
  ['How high is the deductible of the household insurance?', 'Insurance', '300 euros'],
  ['Is damage by flood covered?', 'Insurance', 'flood is not'],
  ['What can I give to Paul as a gift?', 'Gift ideas', 'Ishiguro'],
  ['How often do I have to descale the coffee machine?', 'Coffee machine', 'every two months'],
  ['What does the blinking orange light mean?', 'Coffee machine', 'drip tray'],
  ['When is the half marathon in Graz?', 'Running log', '11 October'],
  ['Wann findet die Versammlung der Genossenschaft statt?', 'Genossenschaft', '3. Juni'],
  ['Wie hoch ist der Mitgliedsbeitrag?', 'Genossenschaft', '80 Euro'],
  ['京都のホテルはどこですか？', '日本語メモ', '北口'],
]

/** Nothing in the notes answers these, though some share a word with them. */
export const UNANSWERABLE: readonly string[] = [
  ...['Who won the football world cup in 1998?', 'What is the capital of Mongolia?'],
  ...['How many moons does Jupiter have?', 'When was the Eiffel Tower built?'],
  ...['Who painted the ceiling of the Sistine Chapel?', 'How do I file a divorce in Nevada?'],
  ...['What is the boiling point of ethanol?', 'Why is the sky blue?', 'Which enzyme unwinds the DNA helix?'],
  ...['How fast can a cheetah sprint?', 'What happened to the stock market on Black Monday?'],
  ...['Where can I buy a ticket to the opera in Sydney?', 'Who invented the steam engine?'],
  ...['What is the difference between TCP and UDP?', 'How tall is Mount Kilimanjaro?'],
  ...['Which vitamins does spinach contain?', 'What are the aerodynamics of a supersonic wing?'],
  ...['When did Napoleon retreat from Moscow?', 'Translate sentence into Hungarian'],
  'Write a poem about autumn leaves',
]
