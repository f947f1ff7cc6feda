export const words: readonly string[] = (
  'amber apple arrow autumn basket beacon birch blue bridge brook candle canyon cedar chart clay ' +
  'cloud copper coral cotton crane dawn delta desert dove drift echo elm ember falcon feather fern ' +
  'field flint forest fox garden glass grain granite grove harbor hazel heron hill honey island ivy ' +
  'jade lake lantern leaf lemon linen lotus maple marble meadow mint mist moss oak ocean olive opal ' +
  'orchard otter palm paper pearl pebble pine plum pond poppy prairie quartz rain raven reed ridge ' +
  'river robin rose sage sand silver sky slate snow spruce stone storm stream summer sun swan thyme ' +
  'tide timber valley violet walnut water willow wind winter wren'
).split(' ');

export const firstNames: readonly string[] = (
  'Ada Alan Amina Anna Aziz Bo Carla Chen Clara Daria David Diego Elena Emil Fatima Femi Greta Hana ' +
  'Hugo Ines Ivan Jana Jon Juno Kai Karim Lara Leo Lin Lucia Maja Marco Mei Mila Nadia Nils Noor Olga ' +
  'Omar Oskar Paula Priya Ravi Rosa Sami Sara Sofia Tariq Theo Uma Vera Yuki Zoe'
).split(' ');

export const lastNames: readonly string[] = (
  'Abe Adeyemi Ahmed Bauer Berg Blanc Castro Chandra Costa Cruz Diaz Dubois Egger Fischer Garcia Gomez ' +
  'Haddad Hansen Huber Ito Ivanova Jensen Kaya Keller Khan Kim Kowalski Lang Larsen Lee Lopez Martin ' +
  'Meyer Moreau Nagy Novak Okafor Olsen Park Patel Petrov Rossi Sato Silva Singh Sousa Tanaka Torres ' +
  'Vogel Wang Weber Yilmaz Zhang'
).split(' ');
